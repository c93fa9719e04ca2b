import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/workflow';

/** What is told of an activity that gave no result: by its failure, its cancellation or its last beat. */
export function lastWord(fault: unknown): unknown {
  const cause = fault instanceof ActivityFailure ? fault.cause : undefined;
  if (cause instanceof TimeoutFailure) return cause.lastHeartbeatDetails;
  const tells = cause instanceof ApplicationFailure || cause instanceof CancelledFailure;
  return tells ? cause.details?.[0] : undefined;
}
