import { ApplicationFailure } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/client';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { errorText, wireId, wireText } from '../shared/wire-text.js';

/** Sees to it that no text of an activity's error can stop the worker's process: see `wireText`. */
export const wireInterceptor: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    try {
      return await next(input);
    } catch (error) {
      throw fitForWire(error, new Set());
    }
  },
};

/** Never throws: what refuses to be read or changed becomes a failure that says so. */
function fitForWire(error: unknown, above: Set<unknown>): Error {
  above.add(error);
  try {
    if (error instanceof TemporalFailure) return mend(error, above);
    const failure = ApplicationFailure.create({
      type: wireId(error instanceof Error ? error.name : 'Error'),
      message: errorText(error),
    });
    if (error instanceof Error) failure.stack = wireText(error.stack ?? '');
    return failure;
  } catch {
    return ApplicationFailure.create({ type: 'Error', message: errorText(error) });
  }
}

/** A failure and all its causes; a cause that is no failure becomes one, and one that closes a circle is left out. */
function mend(failure: TemporalFailure, above: Set<unknown>): TemporalFailure {
  failure.message = wireText(failure.message);
  failure.stack = wireText(failure.stack ?? '');
  if (failure instanceof ApplicationFailure && failure.type !== undefined && failure.type !== null) {
    Object.defineProperty(failure, 'type', { value: wireId(failure.type) });
  }
  if (failure.cause !== undefined) {
    const value = above.has(failure.cause) ? undefined : fitForWire(failure.cause, above);
    Object.defineProperty(failure, 'cause', { value });
  }
  return failure;
}
