import { ApplicationFailure } from '@temporalio/activity';
import type { CallModelInput, NoPlanReply } from '../shared/activities.js';
import { spentIn } from '../shared/usage.js';
import type { Tries } from './tries.js';

/** What the workflow is told of a planning call that was answered by nothing, again and again; undefined for any other fault. */
export function noPlanReply(
  error: unknown,
  { plan }: CallModelInput,
  isPlan: boolean,
  tries: Tries,
): NoPlanReply | undefined {
  if (!isPlan || plan !== 'optional') return undefined;
  const isLast = error instanceof ApplicationFailure && error.nonRetryable;
  if (!isLast || error.type !== 'Model.EmptyReply') return undefined;
  const spent = spentIn(error.details?.[0]);
  return { v: 1, noPlan: true, ...tries.told, ...(spent && { spent }) };
}
