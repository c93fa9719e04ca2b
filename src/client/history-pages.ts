import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { orAborted } from '../shared/or-aborted.js';
import { isNotFound } from './not-found.js';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** An event may carry 2 MB, and gRPC takes 4 MB a message unless its channel says otherwise, as ours does. */
const PAGE_EVENTS = 20;

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
  // The server's word for the last one. Which run that is, its own first event says: a turn goes on meanwhile.
  const last = runPages(client, workflowId, '', follow);
  const opening = await last.next();
  if (opening.done) return;
  let runId = await firstRunBefore(client, workflowId, opening.value[0]);
  if (runId === undefined) {
    yield opening.value;
    runId = yield* last;
  }
  while (runId !== undefined) runId = yield* runPages(client, workflowId, runId, follow);
}

/** Undefined where this event begins the first run, or where the first one is gone. */
async function firstRunBefore(
  client: Client,
  workflowId: string,
  event: HistoryEvent | undefined,
): Promise<string | undefined> {
  const started = event?.workflowExecutionStartedEventAttributes;
  const runId = started?.firstExecutionRunId;
  if (!started?.continuedExecutionRunId || !runId) return undefined;
  const { namespace } = client.options;
  const execution = { workflowId, runId };
  try {
    await client.workflowService.getWorkflowExecutionHistory({ namespace, execution, maximumPageSize: 1 });
    return runId;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The pages of one run, of the last one where the id is ''; returns the id of the run that it was continued in. */
export async function* runPages(
  client: Client,
  workflowId: string,
  runId: string,
  follow: AbortSignal | undefined,
  pageEvents: number = PAGE_EVENTS,
): AsyncGenerator<HistoryEvent[], string | undefined, undefined> {
  const { namespace } = client.options;
  let last: HistoryEvent | undefined;
  let nextPageToken: Uint8Array | undefined;
  do {
    const request = {
      namespace,
      execution: { workflowId, runId },
      maximumPageSize: pageEvents,
      ...(follow && { waitNewEvent: true }),
      ...(nextPageToken && { nextPageToken }),
    };
    const read = () => client.workflowService.getWorkflowExecutionHistory(request);
    // A worker's own connection doesn't hear of the signal.
    const page = await (follow ? orAborted(client.withAbortSignal(follow, read), follow) : read());
    const events = page.history?.events ?? [];
    last = events.at(-1) ?? last;
    yield events;
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken && !follow?.aborted);
  const next = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  return follow?.aborted ? undefined : next || undefined;
}
