import type { CheckedCall, RunToolInput } from '../shared/activities.js';
import { checkedCall } from './check-again.js';
import { requireTool } from './not-here.js';
import type { ActivityServices } from './services.js';

/** What a person has put in the place of a sub-agent's arguments: whether they fit, and no rule denies them. */
export async function checkSubAgentCall(
  { agents }: ActivityServices,
  input: RunToolInput,
): Promise<CheckedCall> {
  const { agent, tool } = requireTool(agents, input, 'sub-agent');
  return await checkedCall(agent, tool, input);
}
