import { textOf } from '../shared/messages.js';
import { ModelError, type ModelRequest } from '../shared/model-port.js';
import type { Usage } from '../shared/turn.js';
import type { Fault, RawAnswer, Script, ScriptedAnswer, ScriptedPart, ScriptedReply } from './script.js';

export type NumberedPart = Exclude<ScriptedPart, { type: 'tool_call' }> | NumberedCall;
type NumberedCall = { type: 'tool_call'; id: string; name: string; arguments: string };

/** A scripted answer with nothing left open. */
export type NextAnswer =
  | { type: 'reply'; parts: NumberedPart[]; finish: string | null; usage: Usage | undefined; delayMs: number }
  | Fault
  | RawAnswer;

/** Which model call of its conversation a request is, from 0: as many as it has assistant messages. */
export function conversationIndex(request: ModelRequest): number {
  return request.messages.filter((message) => message.role === 'assistant').length;
}

/**
 * The script's answer to the `attempt`th try (from 1) of this request. It depends on nothing else, so that it is
 * the same in every process. Throws `Model.Misconfigured`, not retryable, where the script is at its end.
 */
export async function nextAnswer(
  script: Script,
  request: ModelRequest,
  attempt: number,
): Promise<NextAnswer> {
  const index = conversationIndex(request);
  const line = script[index];
  if (line === undefined) {
    throw new ModelError(
      'Model.Misconfigured',
      `The script has ${script.length} ${script.length === 1 ? 'reply' : 'replies'}, model call ${index + 1} was made. Add what the model is to say then.`,
      { retryable: false },
    );
  }
  const entry = typeof line === 'function' ? await line(request.messages, request) : line;
  const answer = entry.type === 'attempts' ? tryOf(entry.tries, attempt) : entry;
  if (answer.type === 'fault' || answer.type === 'raw') return answer;
  return complete(answer.type === 'reply' ? answer : { type: 'reply', parts: [answer] }, request, index);
}

function tryOf(tries: readonly ScriptedAnswer[], attempt: number): ScriptedAnswer {
  const answer = tries[Math.min(attempt, tries.length) - 1];
  if (answer === undefined) throw new TypeError('attempts(...) needs one answer at least.');
  return answer;
}

function complete(from: ScriptedReply, request: ModelRequest, index: number): NextAnswer {
  const parts = from.parts.map((part, at) => numbered(part, `call_${index}_${at}`));
  const calls = parts.some((part) => part.type === 'tool_call');
  return {
    type: 'reply',
    parts,
    finish: from.finish === undefined ? (calls ? 'tool_calls' : 'stop') : from.finish,
    usage: from.usage === undefined ? estimate(parts, request) : (from.usage ?? undefined),
    delayMs: from.delayMs ?? 0,
  };
}

function numbered(part: ScriptedPart, id: string): NumberedPart {
  return part.type === 'tool_call' ? { ...part, id: part.id ?? id } : part;
}

function estimate(parts: readonly NumberedPart[], request: ModelRequest): Usage {
  const read = request.messages.map(textOf).join('').length + request.instructions.length;
  const written = parts
    .map((part) => (part.type === 'tool_call' ? part.arguments : part.text))
    .join('').length;
  return { inputTokens: Math.ceil(read / 4), outputTokens: Math.ceil(written / 4) };
}
