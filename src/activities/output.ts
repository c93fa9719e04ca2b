import type { AgentOutput } from '../define/define-agent.js';
import type { ModelReply } from '../shared/activities.js';
import { type Json, parseJson } from '../shared/json.js';
import { type AssistantMessage, textOf, toolCallsOf } from '../shared/messages.js';
import { errorText, wireLine } from '../shared/wire-text.js';
import { problemLines } from './problem-lines.js';

const WHOLE = '(the answer)';
const MAX_PROBLEM_BYTES = 300;

/**
 * Whether a reply is the output that the agent is to give. Undefined for one with tool calls, or that was cut. Prose has
 * a problem only where the model was `asked` for JSON: before that, it has done nothing wrong.
 */
export async function outputOf(
  { type }: AgentOutput,
  message: AssistantMessage,
  asked: boolean,
): Promise<ModelReply['output']> {
  const { stopReason } = message;
  if (toolCallsOf(message).length > 0 || stopReason === 'max_tokens' || stopReason === 'refusal')
    return undefined;
  const parsed = parseJson(withoutFence(textOf(message)));
  if (!parsed.ok) {
    const problem = wireLine(parsed.problem, MAX_PROBLEM_BYTES);
    return { ok: false, problems: asked ? [`${WHOLE}: it is not JSON (${problem})`] : [] };
  }
  try {
    const checked = await type.safeParseAsync(parsed.value);
    if (!checked.success) return { ok: false, problems: problemLines(checked.error.issues, WHOLE) };
    return { ok: true, value: JSON.parse(JSON.stringify(checked.data ?? null)) as Json };
  } catch (error) {
    return { ok: false, problems: [`${WHOLE}: the check itself failed (${errorText(error)})`] };
  }
}

/** Models put JSON into a block of Markdown, whatever they are told. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  const opening = /^```(?:json)?[ \t]*\r?\n/i.exec(trimmed)?.[0];
  if (opening === undefined || !trimmed.endsWith('```')) return text;
  return trimmed.slice(opening.length, Math.max(opening.length, trimmed.length - 3));
}
