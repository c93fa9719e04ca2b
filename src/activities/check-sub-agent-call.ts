import { Context } from '@temporalio/activity';
import type { CheckedCall, RunToolInput } from '../shared/activities.js';
import { checkedAgain } from './check-again.js';
import { notHere } from './not-here.js';
import type { ActivityServices } from './services.js';

/** What a person has put in the place of a sub-agent's arguments: whether they fit, and no rule denies them. */
export async function checkSubAgentCall(
  { agents }: ActivityServices,
  input: RunToolInput,
): Promise<CheckedCall> {
  const agent = agents.find(input.agent, input.version);
  const tool = agents.findTool(input.agent, input.version, input.tool);
  if (!agent || !tool) {
    const what = `the sub-agent "${input.tool}" of the agent "${input.agent}" in version "${input.version}"`;
    throw notHere('Tool.NotHere', what, agents, Context.current().info.attempt);
  }
  const checked = await checkedAgain(agent, tool, input);
  return 'status' in checked ? { v: 1, result: checked } : { v: 1, input: checked.input };
}
