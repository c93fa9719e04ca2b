import { setTimeout } from 'node:timers/promises';
import type { AgentClient } from 'holdfast/client';

const CALL_DEADLINE_MS = 5000;
const RETRY_PAUSE_MS = 300;

/** Tries until there is an answer, through every outage. Undefined where the run was over first. */
export async function insist<Value>(
  { client }: AgentClient,
  over: AbortSignal,
  attempt: () => Promise<Value>,
  deadlineMs = CALL_DEADLINE_MS,
): Promise<Value | undefined> {
  while (!over.aborted) {
    try {
      const asking = Number.isFinite(deadlineMs)
        ? client.withDeadline(Date.now() + deadlineMs, attempt)
        : client.withAbortSignal(over, attempt);
      return await asking;
    } catch (error) {
      if (error instanceof TypeError) throw error;
      await setTimeout(RETRY_PAUSE_MS);
    }
  }
  return undefined;
}
