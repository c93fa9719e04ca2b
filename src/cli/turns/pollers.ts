import type { Client } from '@temporalio/client';
import { quoted } from '../quoted.js';
import { isoTime } from './waiting.js';

/** A process that asks the queue for work. */
export type Poller = { identity: string; lastSeenMs: number };

/** A poll lasts a minute at most; one that was last seen before that has ended. The server keeps them for five. */
const GONE_MS = 70_000;
const WORKFLOW_QUEUE = 1;

/** The workers that poll a task queue. One that was killed is counted for a minute more. */
export async function pollersOf(client: Client, taskQueue: string): Promise<Poller[]> {
  const { namespace } = client.options;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: WORKFLOW_QUEUE,
  });
  return (pollers ?? [])
    .map(({ identity, lastAccessTime }) => ({
      identity: identity ?? '',
      lastSeenMs: Math.max(0, Date.now() - Date.parse(isoTime(lastAccessTime) ?? '')),
    }))
    .filter(({ lastSeenMs }) => lastSeenMs < GONE_MS);
}

/** What to do about a queue that nobody polls. */
export function startWorker(taskQueue: string, turnId: string): string {
  // `holdfast run` has a queue for each turn, which its own worker polls.
  return taskQueue.startsWith('holdfast:')
    ? `Its worker was that of a holdfast run: give that command again, with --turn-id ${quoted(turnId)}`
    : `Start one: holdfast worker <module> --task-queue ${quoted(taskQueue)}`;
}
