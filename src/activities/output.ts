import type { AgentOutput } from '../define/define-agent.js';
import type { ModelReply } from '../shared/activities.js';
import { type Json, parseJson } from '../shared/json.js';
import { type AssistantMessage, textOf, toolCallsOf } from '../shared/messages.js';
import { errorText } from '../shared/wire-text.js';
import { problemLine } from './plan.js';

/** Whether a reply is the output that the agent is to give. Undefined for one with tool calls, or that was cut. */
export async function outputOf(
  { type }: AgentOutput,
  message: AssistantMessage,
): Promise<ModelReply['output']> {
  if (toolCallsOf(message).length > 0 || message.stopReason !== 'end_turn') return undefined;
  const parsed = parseJson(withoutFence(textOf(message)));
  if (!parsed.ok) return { ok: false, problems: [`It is not JSON: ${parsed.problem}`] };
  try {
    const checked = await type.safeParseAsync(parsed.value);
    if (!checked.success)
      return { ok: false, problems: checked.error.issues.map((issue) => problemLine(issue)) };
    return { ok: true, value: JSON.parse(JSON.stringify(checked.data ?? null)) as Json };
  } catch (error) {
    return { ok: false, problems: [`The check itself failed: ${errorText(error)}`] };
  }
}

/** Models put JSON into a block of Markdown, whatever they are told. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/i.exec(text)?.[1] ?? text;
}
