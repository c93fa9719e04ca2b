import { Context } from '@temporalio/activity';
import type { SubAgentUsage, SubAgentUsageInput } from '../shared/activities.js';
import { STATE_QUERY, type TurnState } from '../shared/turn.js';

const QUERY_DEADLINE_MS = 8000;

/** What a turn had counted when it was ended from outside. What ran at that moment is not in it. */
export async function subAgentUsage({ workflowId }: SubAgentUsageInput): Promise<SubAgentUsage> {
  const { client } = Context.current();
  const state = await client.withDeadline(Date.now() + QUERY_DEADLINE_MS, () =>
    client.workflow.getHandle(workflowId).query<TurnState, []>(STATE_QUERY),
  );
  return { v: 1, usage: state.usage };
}
