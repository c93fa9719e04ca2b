import { withNames } from '../define/artifact.js';
import type { Agent, AnyTool } from '../define/define-agent.js';
import type { CheckedCall, RunToolInput } from '../shared/activities.js';
import { namesOf } from '../shared/artifact-names.js';
import { isJsonObject } from '../shared/json.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { approvalFailed, deniedByRule, invalidArguments } from '../shared/tool-results.js';
import { errorText } from '../shared/wire-text.js';
import { checkArguments } from './check-arguments.js';
import { denialAtRun } from './permission.js';

/** The input as it is to run; or the result, where a person's own arguments don't fit or a deny rule has come to hold. */
export async function checkedAgain(
  agent: Agent,
  tool: AnyTool,
  input: RunToolInput,
): Promise<RunToolInput | ToolResultBlock> {
  const called = { id: input.callId, name: input.tool };
  const isChanged = input.changed === true;
  const checked = isChanged
    ? await checkArguments(tool, isJsonObject(input.input) ? input.input : {})
    : undefined;
  if (checked && !checked.ok) return invalidArguments(called, checked.problems);
  const args = checked?.input ?? input.input;
  try {
    const { result: why } = await withNames(
      namesOf(() => input.artifacts ?? []),
      () => denialAtRun(agent, tool, args, isChanged, input.above),
    );
    return why === undefined ? { ...input, input: args } : deniedByRule(called, why);
  } catch (error) {
    return approvalFailed(called, errorText(error));
  }
}

/** As {@link checkedAgain}, for what our worker only checks: something else runs it. */
export async function checkedCall(agent: Agent, tool: AnyTool, input: RunToolInput): Promise<CheckedCall> {
  const checked = await checkedAgain(agent, tool, input);
  return 'status' in checked ? { v: 1, result: checked } : { v: 1, input: checked.input };
}
