import { inspect } from 'node:util';
import type { LogEntry } from '@temporalio/worker';
import { oneLine } from './table.js';

/**
 * A line for each entry of the SDK's log, on stderr: time, level, what happened to what, and why. The stack only of
 * what no tool, model or turn has thrown as a failure of its own.
 */
export function logLine({ level, message, timestampNanos, meta = {} }: LogEntry): string {
  const time = new Date(Number(timestampNanos / 1_000_000n)).toISOString();
  const { activityType, workflowId, attempt, error } = meta;
  const what = [
    typeof activityType === 'string' && activityType,
    typeof workflowId === 'string' && `turn ${workflowId}`,
    typeof attempt === 'number' && attempt > 1 && `try ${attempt}`,
  ].filter((part) => typeof part === 'string');
  const where = what.length > 0 ? ` (${what.join(', ')})` : '';
  return `${time} ${level} ${oneLine(message)}${where}${why(error)}\n`;
}

/** On its way out of a workflow a failure loses its type; its stack still begins with its class. */
const FROM_WORKFLOW = /^ApplicationFailure: /;

function why(error: unknown): string {
  if (error === undefined) return '';
  if (!(error instanceof Error)) return `: ${oneLine(inspect(error))}`;
  const type = 'type' in error && typeof error.type === 'string' ? `${error.type}: ` : '';
  const named = `: ${type}${oneLine(error.message)}`;
  return type || FROM_WORKFLOW.test(error.stack ?? '') ? named : `${named}\n${error.stack ?? ''}`;
}
