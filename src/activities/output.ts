import type { AgentOutput } from '../define/define-agent.js';
import type { ModelReply } from '../shared/activities.js';
import { type Json, parseJson } from '../shared/json.js';
import { type AssistantMessage, textOf, toolCallsOf } from '../shared/messages.js';
import { errorText, wireLine } from '../shared/wire-text.js';
import { problemLines } from './problem-lines.js';

const WHOLE = '(the answer)';
const MAX_PROBLEM_BYTES = 300;

type Output = NonNullable<ModelReply['output']>;

/**
 * Whether a reply is the output that the agent is to give. Undefined for one with tool calls, or that was cut. It may
 * be the reply's last text, or stand in a block of Markdown. Prose has a problem only where the model was `asked` for
 * JSON: before that, it has done nothing wrong.
 */
export async function outputOf(
  { type }: AgentOutput,
  message: AssistantMessage,
  asked: boolean,
): Promise<ModelReply['output']> {
  const { stopReason } = message;
  if (toolCallsOf(message).length > 0 || stopReason === 'max_tokens' || stopReason === 'refusal')
    return undefined;
  const whole = textOf(message).trim();
  let problems: string[] | undefined;
  for (const text of candidates(message, whole, asked)) {
    const parsed = parseJson(text);
    if (!parsed.ok) continue;
    const checked = await check(type, parsed.value);
    if (checked.ok) return checked;
    // JSON within prose that does not fit is no try to give the output.
    if (asked || text === whole || isFence(whole)) problems ??= checked.problems;
  }
  if (problems) return { ok: false, problems };
  return { ok: false, problems: asked ? [`${WHOLE}: it is not JSON (${problemOf(whole)})`] : [] };
}

async function check(type: AgentOutput['type'], value: Json): Promise<Output> {
  try {
    const checked = await type.safeParseAsync(value);
    if (!checked.success) return { ok: false, problems: problemLines(checked.error.issues, WHOLE) };
    return { ok: true, value: JSON.parse(JSON.stringify(checked.data ?? null)) as Json };
  } catch (error) {
    return { ok: false, problems: [`${WHOLE}: the check itself failed (${errorText(error)})`] };
  }
}

function problemOf(whole: string): string {
  const [first = whole] = isFence(whole) ? fenced(whole) : [];
  const parsed = parseJson(first);
  return parsed.ok ? '' : wireLine(parsed.problem, MAX_PROBLEM_BYTES);
}

/** What may be the JSON, the likeliest first. Of several blocks in prose that nobody asked for, none is meant. */
function candidates({ content }: AssistantMessage, whole: string, asked: boolean): Iterable<string> {
  // Some models think aloud in a text of its own before the answer.
  const last = content.findLast((block) => block.type === 'text' && block.text.trim() !== '');
  const blocks = fenced(whole);
  return new Set([
    whole,
    ...(last?.type === 'text' ? [last.text.trim()] : []),
    ...(asked || blocks.length === 1 ? blocks.toReversed() : []),
  ]);
}

/** Models put JSON into a block of Markdown, whatever they are told. */
function isFence(text: string): boolean {
  return /^```(?:json)?[ \t]*\r?\n/i.test(text) && text.endsWith('```');
}

/** What stands in the blocks of Markdown that are JSON's or nobody's, in their order. */
function fenced(text: string): string[] {
  const blocks: string[] = [];
  let open: { mayBeJson: boolean; lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (open === undefined) {
      if (trimmed.startsWith('```')) open = { mayBeJson: /^```(?:json)?$/i.test(trimmed), lines: [] };
    } else if (trimmed.endsWith('```')) {
      if (open.mayBeJson) blocks.push([...open.lines, trimmed.slice(0, -3)].join('\n'));
      open = undefined;
    } else open.lines.push(line);
  }
  return blocks;
}
