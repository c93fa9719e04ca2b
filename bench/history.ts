import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Of Temporal's HistoryEventFilterType: of a run that goes on, the call waits for it. */
const CLOSE_EVENT = 2;

/** As the server counts them, over all runs of the chain that continuing as new makes. */
export type ChainFigures = { runs: number; bytes: number; events: number };

/** Of an ended workflow. Throws where it has not ended. */
export async function chainFigures(client: Client, workflowId: string): Promise<ChainFigures> {
  const figures = { runs: 0, bytes: 0, events: 0 };
  for await (const runId of runsOf(client, workflowId)) {
    const { historyLength, historySize } = await client.workflow.getHandle(workflowId, runId).describe();
    figures.runs += 1;
    figures.bytes += historySize ?? 0;
    figures.events += historyLength;
  }
  return figures;
}

/** What the workflow's result takes of its history: a short turn's has its messages once more, a long one's has not. */
export async function resultBytes(client: Client, workflowId: string): Promise<number> {
  const completed = (await closeEvent(client, workflowId)).workflowExecutionCompletedEventAttributes;
  return (completed?.result?.payloads ?? []).reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
}

/** How many activities of a type were completed in the whole chain. */
export async function completedActivities(client: Client, workflowId: string, type: string): Promise<number> {
  let completed = 0;
  for await (const runId of runsOf(client, workflowId)) {
    const scheduled = new Set<string>();
    for await (const event of eventsOf(client, workflowId, runId)) {
      const name = event.activityTaskScheduledEventAttributes?.activityType?.name;
      if (name === type) scheduled.add(String(event.eventId));
      const end = event.activityTaskCompletedEventAttributes;
      if (end && scheduled.has(String(end.scheduledEventId))) completed += 1;
    }
  }
  return completed;
}

/** The last event of the last run. */
export async function closeEvent(client: Client, workflowId: string, runId?: string): Promise<HistoryEvent> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, ...(runId && { runId }) },
    historyEventFilterType: CLOSE_EVENT,
  });
  const last = history?.events?.at(-1);
  if (!last) throw new Error(`${workflowId} has no last event.`);
  return last;
}

/** From the first on: each run's last event names the next. */
async function* runsOf(client: Client, workflowId: string): AsyncGenerator<string> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const { firstRunId, execution } = raw.workflowExecutionInfo ?? {};
  for (let runId = firstRunId || execution?.runId; runId; ) {
    yield runId;
    const last = await closeEvent(client, workflowId, runId);
    runId = last.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
}

async function* eventsOf(client: Client, workflowId: string, runId: string): AsyncGenerator<HistoryEvent> {
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      // Of a naive loop a few events take megabytes.
      maximumPageSize: 20,
      ...(nextPageToken && { nextPageToken }),
    });
    yield* page.history?.events ?? [];
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken);
}
