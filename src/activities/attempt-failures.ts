import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { TOOL_RETRYABLE, WORKER_LOST } from '../shared/failures.js';
import { errorText, wireText } from '../shared/wire-text.js';

type Called = { name: string };

/** Tried again; and where Temporal may not, as after an interrupt, the workflow knows that nothing has happened. */
export function notBegunFailure(text: string): ApplicationFailure {
  const message = wireText(text);
  return ApplicationFailure.create({ type: WORKER_LOST, message, details: [{ begun: false }] });
}

/** `startedAt`: of a tool that may have had effects. */
export function interruptedFailure({ name }: Called, startedAt?: string): CancelledFailure {
  const details = startedAt === undefined ? { begun: false } : { begun: true, startedAt };
  return new CancelledFailure(`${name} was interrupted`, [details]);
}

/**
 * The worker shut down while the tool ran: an idempotent one goes on elsewhere, and of any other the workflow finds out
 * what came of it, as after a crash.
 */
export function shutdownFailure(
  { name }: Called,
  { idempotent }: { idempotent: boolean },
  startedAt: string,
  error: unknown,
): ApplicationFailure {
  const message = wireText(`The worker shut down while ${name} ran: ${errorText(error)}`);
  if (idempotent) return ApplicationFailure.create({ type: TOOL_RETRYABLE, message, nextRetryDelay: 1 });
  const details = [{ begun: true, startedAt }];
  return ApplicationFailure.create({ type: WORKER_LOST, message, nonRetryable: true, details });
}
