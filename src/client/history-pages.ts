import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';

/** An event may carry 2 MB, and gRPC takes 4 MB a message unless its channel says otherwise, as ours does. */
const PAGE_EVENTS = 20;

/**
 * A workflow's event history in pages, from its first event. With `follow` it waits for events to come, to the end of the
 * run or until the signal fires.
 */
export async function* historyPages(
  client: Client,
  workflowId: string,
  follow?: AbortSignal,
): AsyncGenerator<temporal.api.history.v1.IHistoryEvent[], void, undefined> {
  const { namespace } = client.options;
  let nextPageToken: Uint8Array | undefined;
  do {
    const request = {
      namespace,
      execution: { workflowId },
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
