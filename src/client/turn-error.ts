import {
  ApplicationFailure,
  CancelledFailure,
  type TemporalFailure,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowFailedError,
} from '@temporalio/client';
import type { TurnOutcome } from '../shared/turn.js';
import { TurnFailed, TurnNotFound } from './errors.js';
import { isNotFound } from './not-found.js';

/** What to throw for an error that Temporal's client gave of a turn. */
export function turnError(turnId: string, error: unknown): unknown {
  if (isNotFound(error)) {
    return new TurnNotFound(`There is no turn ${turnId}. Look for it with: holdfast ps --all`);
  }
  if (!(error instanceof WorkflowFailedError)) return error;
  const { cause } = error;
  const fail = (status: TurnFailed['status'], type: string, outcome?: TurnOutcome) =>
    new TurnFailed(status, type, textOfFailure(cause), outcome, cause);
  if (cause instanceof ApplicationFailure) {
    return fail('FAILED', cause.type ?? 'Turn.Failed', cause.details?.[0] as TurnOutcome | undefined);
  }
  if (cause instanceof CancelledFailure) return fail('CANCELED', 'Turn.Canceled');
  if (cause instanceof TerminatedFailure) return fail('TERMINATED', 'Turn.Terminated');
  return cause instanceof TimeoutFailure ? fail('TIMED_OUT', 'Turn.TimedOut') : fail('FAILED', 'Turn.Failed');
}

function textOfFailure(cause: Error | TemporalFailure | undefined): string {
  return cause?.message ?? 'The turn failed.';
}
