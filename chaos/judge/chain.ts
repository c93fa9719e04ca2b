import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/**
 * The events of all runs of a turn that continued as new, one run after the other, from its first: each run's last
 * event names the next. Event ids begin anew with each run. Undefined for a turn that the server does not know.
 */
export async function readChain(client: Client, turnId: string): Promise<HistoryEvent[][] | undefined> {
  const latest = await eventsOf(client, turnId);
  if (!latest) return undefined;
  const started = latest[0]?.workflowExecutionStartedEventAttributes;
  const runs: HistoryEvent[][] = [];
  for (let runId = started?.firstExecutionRunId; runId; ) {
    const events = await eventsOf(client, turnId, runId);
    if (!events) throw new Error(`${turnId} has no run ${runId}, which another names.`);
    runs.push(events);
    runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  const last = runs.at(-1)?.[0]?.workflowExecutionStartedEventAttributes;
  if (last?.originalExecutionRunId === started?.originalExecutionRunId) return runs;
  throw new Error(`${turnId} has a run that its chain of runs does not lead to.`);
}

async function eventsOf(client: Client, turnId: string, runId?: string): Promise<HistoryEvent[] | undefined> {
  const history = await client.workflow
    .getHandle(turnId, runId)
    .fetchHistory()
    .catch(() => undefined);
  return history && (history.events ?? []);
}
