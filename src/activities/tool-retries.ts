import { ApplicationFailure } from '@temporalio/activity';
import { RetryableToolError } from '../define/retryable.js';
import type { ToolRetry } from '../define/tool-retry.js';
import { TOOL_RETRYABLE } from '../shared/failures.js';
import type { Tried } from '../shared/settle.js';
import { errorText, wireText } from '../shared/wire-text.js';

/**
 * The failure for which Temporal starts a tool call again, or undefined where the model is to read the error: tried again
 * is what the tool itself calls `retryable`, and, where it has a `retry`, what else that asks for, until its tries are used up.
 */
export function retryFailure(
  error: unknown,
  retry: ToolRetry | undefined,
  tried: Tried & { attempt: number },
): ApplicationFailure | undefined {
  if (retry && tried.attempt >= retry.attempts) return undefined;
  const isAsked = error instanceof RetryableToolError;
  if (!isAsked && !(retry && isWorthIt(retry, error))) return undefined;
  const afterMs = isAsked ? error.afterMs : undefined;
  return ApplicationFailure.create({
    type: TOOL_RETRYABLE,
    message: wireText(errorText(error)),
    details: [tried],
    ...(afterMs !== undefined && { nextRetryDelay: afterMs }),
  });
}

/** A `when` that throws has found no reason to try again. */
function isWorthIt({ when }: ToolRetry, error: unknown): boolean {
  try {
    return when === undefined || when(error);
  } catch {
    return false;
  }
}
