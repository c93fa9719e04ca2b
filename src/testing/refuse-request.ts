import { parseJson } from '../shared/json.js';
import { type ChatRequest, textIn, type WireMessage } from './chat-request.js';
import { refuseFile, refuseImage } from './data-url.js';
import { refuseStrictSchema } from './refuse-schema.js';

export const PROVIDER_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** What is wrong with the body's text, or undefined: providers read neither broken UTF-8 nor half characters. */
export function refuseText(bytes: Uint8Array): string | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return 'We could not parse the body of your request: it is not UTF-8.';
  }
  const parsed = parseJson(text);
  if (!parsed.ok) return `We could not parse the JSON body of your request: ${parsed.problem}.`;
  if (!isWellFormed(parsed.value))
    return 'We could not parse the JSON body of your request: a lone surrogate.';
  return undefined;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

/**
 * What OpenAI, Anthropic or vLLM would refuse this request for, or undefined: results that are missing, repeated or
 * before their call; empty content; names that are no names; arguments that are not JSON.
 */
export function refuseRequest(request: ChatRequest): string | undefined {
  for (const tool of request.tools ?? []) {
    const { name, strict, parameters = {} } = tool.function;
    if (!PROVIDER_NAME.test(name)) return nameProblem('tools', name);
    const problem = strict ? refuseStrictSchema(parameters) : undefined;
    if (problem !== undefined) return `Invalid schema for function '${name}': ${problem}`;
  }
  const format = request.response_format?.json_schema;
  const problem = format?.strict ? refuseStrictSchema(format.schema ?? {}) : undefined;
  if (problem !== undefined) return `Invalid schema for response_format '${format?.name}': ${problem}`;
  return refuseMessages(request.messages);
}

function refuseMessages(messages: readonly WireMessage[]): string | undefined {
  let unanswered: string[] = [];
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`;
    if (message.role === 'tool') {
      if (!unanswered.includes(message.tool_call_id)) {
        return `${where}: the tool result for ${message.tool_call_id} has no tool call before it that lacks one.`;
      }
      unanswered = unanswered.filter((id) => id !== message.tool_call_id);
    } else if (unanswered.length > 0) {
      return `${where}: the tool calls ${unanswered.join(', ')} must be followed by their results.`;
    }
    const problem = refuseMessage(where, message);
    if (problem !== undefined) return problem;
    if (message.role === 'assistant') unanswered = (message.tool_calls ?? []).map((call) => call.id);
  }
  return unanswered.length > 0
    ? `the tool calls ${unanswered.join(', ')} must be followed by their results.`
    : undefined;
}

function refuseMessage(where: string, message: WireMessage): string | undefined {
  if (message.role === 'assistant') return refuseAssistant(where, message);
  const { content } = message;
  const parts = Array.isArray(content) ? content : [];
  const attached = parts.filter((part) => part.type === 'image_url' || part.type === 'file');
  if (attached.length > 0 && message.role !== 'user')
    return `${where}: only user messages may have images and files.`;
  const emptyPart = parts.some((part) => part.type === 'text' && !textIn([part]));
  if (emptyPart || (attached.length === 0 && textIn(content) === ''))
    return `${where}: content must not be empty.`;
  const problem = attached.map(refusePart).find((each) => each !== undefined);
  return problem === undefined ? undefined : `${where}: ${problem}`;
}

function refusePart(part: { [field: string]: unknown }): string | undefined {
  const { image_url: image, file } = part as { image_url?: { url?: unknown }; file?: unknown };
  return part['type'] === 'file' ? refuseFile(file) : refuseImage(image?.url);
}

function refuseAssistant(
  where: string,
  message: Extract<WireMessage, { role: 'assistant' }>,
): string | undefined {
  const calls = message.tool_calls ?? [];
  if (message.tool_calls?.length === 0) return `${where}: tool_calls must not be an empty list.`;
  if (calls.length === 0 && textIn(message.content) === '') return `${where}: content must not be empty.`;
  if (new Set(calls.map((call) => call.id)).size < calls.length) return `${where}: tool call ids repeat.`;
  for (const call of calls) {
    if (!PROVIDER_NAME.test(call.id)) return nameProblem(`${where}.tool_calls id`, call.id);
    if (!PROVIDER_NAME.test(call.function.name))
      return nameProblem(`${where}.tool_calls`, call.function.name);
    if (!parseJson(call.function.arguments).ok) return `${where}: the arguments of ${call.id} are not JSON.`;
  }
  return undefined;
}

export function nameProblem(where: string, name: string): string {
  return `${where}: ${JSON.stringify(name)} does not match ^[a-zA-Z0-9_-]{1,64}$.`;
}
