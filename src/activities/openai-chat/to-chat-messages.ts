import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
  ChatCompletionMessageToolCall,
} from 'openai/resources/chat/completions';
import { isJsonObject, parseJson } from '../../shared/json.js';
import type {
  AssistantMessage,
  ImageBlock,
  Message,
  ToolCallBlock,
  ToolMessage,
  ToolResultBlock,
  UserBlock,
} from '../../shared/messages.js';

/** Providers refuse a message without content. */
const EMPTY_CONTENT = '(no output)';

/** The reasoning that some providers want back, under the name that they gave it. */
type AssistantParam = ChatCompletionAssistantMessageParam & {
  reasoning_content?: string;
  reasoning?: string;
};

/**
 * Our messages as the wire has them: instructions first, one `tool` message a result. Every string is well-formed
 * Unicode and no content is empty, so that no provider refuses the transcript for what is in it.
 */
export function toChatMessages(
  instructions: string,
  messages: readonly Message[],
): ChatCompletionMessageParam[] {
  const system: ChatCompletionMessageParam[] =
    instructions === '' ? [] : [{ role: 'system', content: instructions.toWellFormed() }];
  return [...system, ...mergeUserMessages(messages).flatMap(toWire)];
}

/** Several in a row (a steer, a note of an interrupt) go out as one: some models' templates refuse two of a role. */
function mergeUserMessages(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      merged[merged.length - 1] = { ...last, content: [...last.content, ...message.content] };
    } else merged.push(message);
  }
  return merged;
}

function toWire(message: Message): ChatCompletionMessageParam[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: joined(message.content) || EMPTY_CONTENT }];
    case 'user':
      return [{ role: 'user', content: userContent(message.content) }];
    case 'assistant':
      return [assistant(message)];
    case 'tool':
      return toolResults(message);
    default:
      return message satisfies never;
  }
}

/** A plain string where it can be one: some servers take nothing else. */
function userContent(blocks: readonly UserBlock[]): string | ChatCompletionContentPart[] {
  const parts = blocks.filter((block) => block.type === 'image' || block.text !== '').map(contentPart);
  if (parts.length === 0) return EMPTY_CONTENT;
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts;
}

function contentPart(block: UserBlock): ChatCompletionContentPart {
  return block.type === 'text' ? { type: 'text', text: block.text.toWellFormed() } : imagePart(block);
}

function imagePart(block: ImageBlock): ChatCompletionContentPart {
  return {
    type: 'image_url',
    image_url: { url: `data:${block.mediaType};base64,${block.data}`.toWellFormed() },
  };
}

function assistant(message: AssistantMessage): AssistantParam {
  const text = joined(message.content);
  const calls = message.content.filter((block) => block.type === 'tool_call').map(toolCall);
  if (calls.length === 0) return { role: 'assistant', content: text || EMPTY_CONTENT };
  return { role: 'assistant', content: text || null, ...reasoning(message), tool_calls: calls };
}

/** Goes back only beside calls: that is where providers require it, and elsewhere some refuse it. */
function reasoning(message: AssistantMessage): Pick<AssistantParam, 'reasoning' | 'reasoning_content'> {
  const blocks = message.content.filter((block) => block.type === 'reasoning');
  const text = blocks.map((block) => block.text.toWellFormed()).join('');
  if (text === '') return {};
  return blocks.some((block) => block.opaque === 'reasoning')
    ? { reasoning: text }
    : { reasoning_content: text };
}

function toolCall(block: ToolCallBlock): ChatCompletionMessageToolCall {
  return {
    id: block.id.toWellFormed(),
    type: 'function',
    function: { name: block.name.toWellFormed(), arguments: wireArguments(block.arguments) },
  };
}

const ESCAPED_SURROGATE = /\\u[dD][89a-fA-F]/;

/** As the model wrote them; what is not a JSON object is kept inside of one, as providers parse arguments. */
function wireArguments(written: string): string {
  if (written.trim() === '') return '{}';
  const parsed = parseJson(written);
  if (!parsed.ok || !isJsonObject(parsed.value))
    return JSON.stringify({ invalid_json: written.toWellFormed() });
  if (!ESCAPED_SURROGATE.test(written)) return written.toWellFormed();
  return JSON.stringify(parsed.value, (_key, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
}

/** Results take text only, so their images follow in one user message, after the last result. */
function toolResults(message: ToolMessage): ChatCompletionMessageParam[] {
  const results = message.content.map(
    (result): ChatCompletionMessageParam => ({
      role: 'tool',
      tool_call_id: result.callId.toWellFormed(),
      content: resultText(result),
    }),
  );
  const images = message.content.flatMap(resultImages);
  return images.length === 0 ? results : [...results, { role: 'user', content: images }];
}

function resultText(result: ToolResultBlock): string {
  const hasImage = result.content.some((block) => block.type === 'image');
  return joined(result.content) || (hasImage ? 'The image is in the next message.' : EMPTY_CONTENT);
}

function resultImages(result: ToolResultBlock): ChatCompletionContentPart[] {
  const images = result.content.filter((block) => block.type === 'image').map(imagePart);
  if (images.length === 0) return [];
  return [
    { type: 'text', text: `From the result of ${result.name} (${result.callId}):`.toWellFormed() },
    ...images,
  ];
}

function joined(blocks: readonly { type: string; text?: string }[]): string {
  return blocks
    .map((block) => (block.type === 'text' ? (block.text ?? '') : ''))
    .join('')
    .toWellFormed();
}
