import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** An event may carry 2 MB, and gRPC takes 4 MB a message unless its channel says otherwise, as ours does. */
const PAGE_EVENTS = 20;
/** gRPC's code. */
const NOT_FOUND = 5;

/**
 * A turn's event history in pages, from the first event of its first run on, over all the runs that it was continued in.
 * With `follow` it waits for events to come, to the end of the turn or until the signal fires. Where the first run is
 * gone from the server, it begins with the last one.
 */
export async function* historyPages(
  client: Client,
  workflowId: string,
  follow?: AbortSignal,
): AsyncGenerator<HistoryEvent[], void, undefined> {
  let runId: string | undefined = await firstRun(client, workflowId);
  while (runId !== undefined && !follow?.aborted) {
    let last: HistoryEvent | undefined;
    for await (const events of runPages(client, workflowId, runId, follow)) {
      last = events.at(-1) ?? last;
      yield events;
    }
    runId = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId || undefined;
  }
}

/** `''`, the server's word for the last one, where that is the first, too, or where the first is gone. */
async function firstRun(client: Client, workflowId: string): Promise<string> {
  const started = await startedEvent(client, workflowId, '');
  const first = started?.firstExecutionRunId ?? '';
  if (!started?.continuedExecutionRunId || first === '') return '';
  try {
    await startedEvent(client, workflowId, first);
    return first;
  } catch (error) {
    if (isGrpcServiceError(error) && error.code === NOT_FOUND) return '';
    throw error;
  }
}

async function startedEvent(client: Client, workflowId: string, runId: string) {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    maximumPageSize: 1,
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes;
}

async function* runPages(
  client: Client,
  workflowId: string,
  runId: string,
  follow: AbortSignal | undefined,
): AsyncGenerator<HistoryEvent[], void, undefined> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | undefined;
  do {
    const request = {
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: PAGE_EVENTS,
      ...(follow && { waitNewEvent: true }),
      ...(nextPageToken && { nextPageToken }),
    };
    const read = () => client.workflowService.getWorkflowExecutionHistory(request);
    const page = await (follow ? client.withAbortSignal(follow, read) : read());
    yield page.history?.events ?? [];
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken && !follow?.aborted);
}
