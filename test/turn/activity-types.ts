import type { Client } from '@temporalio/client';

/** Of the activities that a workflow has scheduled, in order; local ones are none. */
export async function activityTypes(client: Client, workflowId: string): Promise<string[]> {
  const { events = [] } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).flatMap(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
  );
}
