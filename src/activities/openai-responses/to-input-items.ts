import type {
  ResponseFunctionCallOutputItem,
  ResponseInputContent,
  ResponseInputItem,
  ResponseOutputMessage,
} from 'openai/resources/responses/responses';
import { isJsonObject } from '../../shared/json.js';
import type {
  AssistantMessage,
  ImageBlock,
  Message,
  ReasoningBlock,
  TextBlock,
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
import { WrittenList } from '../openai/written-list.js';
import { rememberedWriter, type WireMessage } from '../openai/written-messages.js';

/** What an item that goes back as it came is called in a block's `opaque`. */
export const ITEM = 'item';
/** Whether a text is a comment on the way or the answer: some models get worse where it doesn't come back. */
export const PHASE = 'phase';

const written = rememberedWriter<ResponseInputItem>();

/**
 * Our messages as the items of a stateless Responses request. Reasoning goes back, encrypted, before what it led to;
 * what came from elsewhere stays away. Every string is well-formed Unicode and no content is empty.
 */
export function toInputItems(messages: readonly Message[], origin: string): ResponseInputItem[] {
  return wireMessages(messages, origin).flatMap(({ write }) => write());
}

/** The same as {@link toInputItems}, ready to be sent. */
export function writtenInputItems(messages: readonly Message[], origin: string): WrittenList {
  return new WrittenList(written(wireMessages(messages, origin)));
}

function wireMessages(messages: readonly Message[], origin: string): WireMessage<ResponseInputItem>[] {
  return mergeUserMessages(messages).map((message) => {
    return { message, variant: origin, write: () => toItems(message, origin) };
  });
}

function toItems(message: Message, origin: string): ResponseInputItem[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: textIn(message.content) || EMPTY_CONTENT }];
    case 'user':
      return [{ role: 'user', content: userContent(message.content) }];
    case 'assistant':
      return assistantItems(message, origin);
    case 'tool':
      return message.content.map(toolOutput);
    default:
      return message satisfies never;
  }
}

function userContent(blocks: readonly UserBlock[]): string | ResponseInputContent[] {
  const shown = blocks.filter((block) => block.type !== 'text' || block.text !== '');
  if (shown.length === 0) return EMPTY_CONTENT;
  const texts = shown.filter((block) => block.type === 'text');
  if (texts.length === shown.length) return texts.map((block) => block.text.toWellFormed()).join('\n\n');
  return shown.map(inputPart);
}

function inputPart(block: UserBlock): ResponseInputContent {
  switch (block.type) {
    case 'text':
      return textPart(block.text);
    case 'image':
      return imagePart(block);
    case 'file':
      return { type: 'input_file', filename: block.name.toWellFormed(), file_data: dataUrl(block) };
    default:
      return block satisfies never;
  }
}

/** An item that nothing follows, as after a cut, is refused; so is a message without any. */
function assistantItems(message: AssistantMessage, origin: string): ResponseInputItem[] {
  const items = message.content.flatMap((block): ResponseInputItem[] => {
    switch (block.type) {
      case 'reasoning':
        return keptItem(block, origin);
      case 'text':
        return block.text === '' ? [] : [said(block.id, block.text, phaseOf(block, origin))];
      case 'tool_call':
        return [
          {
            type: 'function_call',
            call_id: block.id.toWellFormed(),
            name: block.name.toWellFormed(),
            arguments: wireArguments(block.arguments),
          },
        ];
      default:
        return block satisfies never;
    }
  });
  while (items.at(-1)?.type === 'reasoning') items.pop();
  return items.length > 0 ? items : [said(message.id, EMPTY_CONTENT)];
}

/** With all the fields of an output item: vLLM takes it for none without its id and status. */
function said(id: string, text: string, phase: Phase = {}): ResponseInputItem {
  return {
    type: 'message',
    role: 'assistant',
    id: `msg_${id.replace(/[^\w-]/g, '_').slice(0, 50)}`,
    status: 'completed',
    content: [{ type: 'output_text', text: text.toWellFormed(), annotations: [] }],
    ...phase,
  };
}

type Phase = Pick<ResponseOutputMessage, 'phase'>;

function phaseOf(block: TextBlock, origin: string): Phase {
  const phase = fromOpaque(block.opaque, origin, PHASE);
  return typeof phase === 'string' ? { phase: phase as NonNullable<Phase['phase']> } : {};
}

function keptItem(block: ReasoningBlock, origin: string): ResponseInputItem[] {
  const item = fromOpaque(block.opaque, origin, ITEM);
  return isJsonObject(item) ? [item as ResponseInputItem & typeof item] : [];
}

function toolOutput(result: ToolResultBlock): ResponseInputItem {
  return { type: 'function_call_output', call_id: result.callId.toWellFormed(), output: outputOf(result) };
}

function outputOf({ content }: ToolResultBlock): string | ResponseFunctionCallOutputItem[] {
  if (content.every((block) => block.type === 'text')) return textIn(content) || EMPTY_CONTENT;
  return content.flatMap((block): ResponseFunctionCallOutputItem[] => {
    if (block.type === 'image') return [imagePart(block)];
    return block.text === '' ? [] : [textPart(block.text)];
  });
}

function textPart(text: string) {
  return { type: 'input_text' as const, text: text.toWellFormed() };
}

function imagePart(block: ImageBlock) {
  return {
    type: 'input_image' as const,
    detail: 'auto' as const,
    image_url: imageUrl(block),
  };
}
