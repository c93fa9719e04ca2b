import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Of one run of a workflow: how long its event history is. */
export type RunSize = { workflowId: string; events: number; bytes: number };

/**
 * The events of all runs of a workflow that continued as new, one run after the other, from its first: each run's last
 * event names the next. Event ids begin anew with each run. Nothing for a workflow that the server does not know.
 */
export async function* runsOf(client: Client, workflowId: string): AsyncGenerator<HistoryEvent[]> {
  const latest = (await eventsOf(client, workflowId))?.[0]?.workflowExecutionStartedEventAttributes;
  let started: typeof latest;
  for (let runId = latest?.firstExecutionRunId; runId; ) {
    const events = await eventsOf(client, workflowId, runId);
    if (!events) throw new Error(`${workflowId} has no run ${runId}, which another names.`);
    started = events[0]?.workflowExecutionStartedEventAttributes;
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    yield events;
  }
  if (started?.originalExecutionRunId === latest?.originalExecutionRunId) return;
  throw new Error(`${workflowId} has a run that its chain of runs does not lead to.`);
}

/** All of it at once; undefined for one that the server does not know. */
export async function readChain(client: Client, turnId: string): Promise<HistoryEvent[][] | undefined> {
  const runs: HistoryEvent[][] = [];
  for await (const run of runsOf(client, turnId)) runs.push(run);
  return runs.length > 0 ? runs : undefined;
}

async function eventsOf(client: Client, turnId: string, runId?: string): Promise<HistoryEvent[] | undefined> {
  const history = await client.workflow
    .getHandle(turnId, runId)
    .fetchHistory()
    .catch(() => undefined);
  return history && (history.events ?? []);
}

export function sizeOf(workflowId: string, events: HistoryEvent[]): RunSize {
  const bytes = proto.temporal.api.history.v1.History.encode({ events }).finish().length;
  return { workflowId, events: events.length, bytes };
}
