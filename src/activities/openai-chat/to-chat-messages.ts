import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { isJsonObject } from '../../shared/json.js';
import type {
  AssistantMessage,
  ImageBlock,
  Message,
  ToolCallBlock,
  ToolMessage,
  ToolResultBlock,
  UserBlock,
} from '../../shared/messages.js';
import { fromOpaque } from '../openai/origin.js';
import {
  dataUrl,
  EMPTY_CONTENT,
  imageUrl,
  mergeUserMessages,
  textIn,
  wireArguments,
} from '../openai/transcript.js';
import { WrittenList, writtenItems } from '../openai/written-list.js';
import { rememberedWriter, type WireMessage } from '../openai/written-messages.js';
import { type WireReasoning, wireReasoning } from './chat-reasoning.js';
import { EXTRA } from './tool-call-fragments.js';

/** With the reasoning that some providers want back, under the name that they gave it. */
type AssistantParam = ChatCompletionAssistantMessageParam & Omit<WireReasoning, 'thinking'>;

export type ChatMessageOptions = {
  /** Where the messages go: what was signed or encrypted elsewhere stays away. */
  origin: string;
  /** Which messages of the model go with their reasoning. */
  reasoning: 'tools' | 'always' | 'never';
  /** The model refuses such messages without any, and is given what there is. */
  demanded?: boolean;
};

const written = rememberedWriter<ChatCompletionMessageParam>();

/**
 * Our messages as the wire has them: instructions first, one `tool` message a result. Every string is well-formed
 * Unicode and no content is empty, so that no provider refuses the transcript for what is in it.
 */
export function toChatMessages(
  instructions: string,
  messages: readonly Message[],
  options: ChatMessageOptions = { origin: '', reasoning: 'tools' },
): ChatCompletionMessageParam[] {
  return [...opening(instructions), ...wireMessages(messages, options).flatMap(({ write }) => write())];
}

/** The same as {@link toChatMessages}, ready to be sent. */
export function writtenChatMessages(
  instructions: string,
  messages: readonly Message[],
  options: ChatMessageOptions,
): WrittenList {
  return new WrittenList([writtenItems(opening(instructions)), ...written(wireMessages(messages, options))]);
}

function opening(instructions: string): ChatCompletionMessageParam[] {
  return instructions === '' ? [] : [{ role: 'system', content: instructions.toWellFormed() }];
}

function wireMessages(
  messages: readonly Message[],
  options: ChatMessageOptions,
): WireMessage<ChatCompletionMessageParam>[] {
  const variant = `${options.origin} ${options.reasoning} ${options.demanded}`;
  const variantAfterTools = `${variant}, after tools`;
  return mergeUserMessages(messages).map((message, index, all) => {
    const afterTools = all[index - 1]?.role === 'tool';
    const write = () => toWire(message, afterTools, options);
    return { message, variant: afterTools ? variantAfterTools : variant, write };
  });
}

function toWire(
  message: Message,
  afterTools: boolean,
  options: ChatMessageOptions,
): ChatCompletionMessageParam[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: textIn(message.content) || EMPTY_CONTENT }];
    case 'user':
      return [{ role: 'user', content: userContent(message.content) }];
    case 'assistant':
      return [assistant(message, afterTools, options)];
    case 'tool':
      return toolResults(message);
    default:
      return message satisfies never;
  }
}

/** A plain string where it can be one: some servers take nothing else. */
function userContent(blocks: readonly UserBlock[]): string | ChatCompletionContentPart[] {
  const parts = blocks.filter((block) => block.type !== 'text' || block.text !== '').map(contentPart);
  if (parts.length === 0) return EMPTY_CONTENT;
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts;
}

function contentPart(block: UserBlock): ChatCompletionContentPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text.toWellFormed() };
    case 'image':
      return imagePart(block);
    case 'file':
      return { type: 'file', file: { filename: block.name.toWellFormed(), file_data: dataUrl(block) } };
    default:
      return block satisfies never;
  }
}

function imagePart(block: ImageBlock): ChatCompletionContentPart {
  return { type: 'image_url', image_url: { url: imageUrl(block) } };
}

/**
 * Reasoning goes back beside calls and in what follows them: that is where providers require it, and elsewhere some
 * refuse it.
 */
function assistant(
  message: AssistantMessage,
  afterTools: boolean,
  options: ChatMessageOptions,
): AssistantParam {
  const text = textIn(message.content);
  const calls = message.content
    .filter((block) => block.type === 'tool_call')
    .map((block) => toolCall(block, options.origin));
  const wanted = { tools: calls.length > 0 || afterTools, always: true, never: false }[options.reasoning];
  const thoughts = message.content.filter((block) => block.type === 'reasoning');
  const { thinking, ...reasoning } = wanted ? wireReasoning(thoughts, options) : {};
  return {
    role: 'assistant',
    content: content(text, thinking, calls.length > 0),
    ...reasoning,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function content(
  text: string,
  thinking: string | undefined,
  hasCalls: boolean,
): NonNullable<AssistantParam['content']> | null {
  const said = text || (hasCalls ? null : EMPTY_CONTENT);
  if (thinking === undefined) return said;
  const thought = { type: 'thinking', thinking: [{ type: 'text', text: thinking }] };
  const parts: unknown[] = [thought, ...(said === null ? [] : [{ type: 'text', text: said }])];
  // A part of Mistral's, which OpenAI's types don't have.
  return parts as Exclude<AssistantParam['content'], string | null | undefined>;
}

function toolCall(block: ToolCallBlock, origin: string): ChatCompletionMessageFunctionToolCall {
  const extra = fromOpaque(block.opaque, origin, EXTRA);
  return {
    id: block.id.toWellFormed(),
    type: 'function',
    function: { name: block.name.toWellFormed(), arguments: wireArguments(block.arguments) },
    ...(isJsonObject(extra) && extra),
  };
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
  return textIn(result.content) || (hasImage ? 'The image is in the next message.' : EMPTY_CONTENT);
}

function resultImages(result: ToolResultBlock): ChatCompletionContentPart[] {
  const images = result.content.filter((block) => block.type === 'image').map(imagePart);
  if (images.length === 0) return [];
  return [
    { type: 'text', text: `From the result of ${result.name} (${result.callId}):`.toWellFormed() },
    ...images,
  ];
}
