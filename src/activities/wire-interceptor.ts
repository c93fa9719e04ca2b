import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import { wireId, wireText } from '../shared/wire-text.js';

/** Sees to it that no text of an activity's error can stop the worker's process: see `wireText`. */
export const wireInterceptor: ActivityInboundCallsInterceptor = {
  async execute(input, next) {
    try {
      return await next(input);
    } catch (error) {
      throw fitForWire(error);
    }
  },
};

function fitForWire(error: unknown): unknown {
  if (error instanceof CancelledFailure) return mend(error);
  if (error instanceof TemporalFailure) return mend(error);
  if (error instanceof Error) {
    const failure = ApplicationFailure.create({
      type: wireId(error.name),
      message: wireText(error.message),
    });
    failure.stack = wireText(error.stack ?? '');
    return failure;
  }
  return ApplicationFailure.create({ type: 'Error', message: wireText(error) });
}

/** A failure and all its causes; a cause that is no failure becomes one. */
function mend(failure: TemporalFailure): TemporalFailure {
  failure.message = wireText(failure.message);
  failure.stack = wireText(failure.stack ?? '');
  if (failure instanceof ApplicationFailure && failure.type !== undefined && failure.type !== null) {
    Object.defineProperty(failure, 'type', { value: wireId(failure.type) });
  }
  if (failure.cause !== undefined) {
    Object.defineProperty(failure, 'cause', { value: fitForWire(failure.cause) });
  }
  return failure;
}
