import { z } from 'zod';
import type { JsonObject } from '../shared/json.js';
import type { AssistantMessage, Message, UserBlock } from '../shared/messages.js';
import { textContent } from '../shared/messages.js';
import type { ModelRequest } from '../shared/model-port.js';
import { fileBlock, imageBlock } from './data-url.js';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string(), z.array(part)]);

const easyMessage = z.object({
  type: z.literal('message').optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content,
  phase: z.string().nullish(),
});
const functionCall = z.object({
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const functionCallOutput = z.object({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: content,
});
const reasoning = z.object({
  type: z.literal('reasoning'),
  id: z.string().optional(),
  summary: z.array(part),
  encrypted_content: z.string().nullish(),
});
const item = z.union([functionCall, functionCallOutput, reasoning, easyMessage]);

export const responsesRequest = z.looseObject({
  model: z.string(),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(item).min(1)]),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })])
    .optional(),
  text: z
    .looseObject({
      format: z
        .looseObject({
          type: z.string(),
          name: z.string().optional(),
          schema: z.record(z.string(), z.json()).optional(),
          strict: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        name: z.string(),
        description: z.string().nullish(),
        parameters: z.record(z.string(), z.json()).nullable(),
        strict: z.boolean().nullish(),
      }),
    )
    .min(1)
    .optional(),
});

export type ResponsesRequest = z.infer<typeof responsesRequest>;
export type WireItem = z.infer<typeof item>;
export type WireItemContent = z.infer<typeof content>;

/** Its input as items, a plain text too. */
export function itemsOf({ input }: ResponsesRequest): WireItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

/** A request of the wire in our terms, for scripts whose replies are functions of the transcript. */
export function toModelRequest(request: ResponsesRequest): ModelRequest {
  const format = request.text?.format;
  const choice = request.tool_choice;
  return {
    model: request.model,
    instructions: request.instructions ?? '',
    messages: toMessages(itemsOf(request)),
    tools: (request.tools ?? []).map((tool) => ({
      name: tool.name,
      description: tool.description ?? '',
      schema: (tool.parameters ?? {}) as JsonObject,
      ...(tool.strict && { strict: true }),
    })),
    ...(format?.type === 'json_schema' && {
      output: {
        name: format.name ?? '',
        schema: (format.schema ?? {}) as JsonObject,
        strict: format.strict ?? false,
      },
    }),
    ...(typeof choice === 'string' && { toolChoice: choice }),
  };
}

/** Items of the model in a row are one message of ours, and so are outputs in a row. */
function toMessages(items: readonly WireItem[]): Message[] {
  const names = new Map<string, string>();
  const messages: Message[] = [];
  const assistant = (id: string): AssistantMessage => {
    const last = messages.at(-1);
    if (last?.role === 'assistant') return last;
    const made: AssistantMessage = { role: 'assistant', id, content: [] };
    messages.push(made);
    return made;
  };
  for (const [at, from] of items.entries()) {
    const id = `m${at}`;
    if (!('role' in from)) {
      addItem(from, id);
    } else if (from.role === 'assistant') {
      assistant(id).content.push(...textContent(id, textOf(from.content)));
    } else if (from.role === 'user') {
      messages.push({ role: 'user', id, content: userBlocks(id, from.content) });
    } else messages.push({ role: 'system', id, content: textContent(id, textOf(from.content)) });
  }
  return messages;

  function addItem(from: Exclude<WireItem, { role: unknown }>, id: string): void {
    switch (from.type) {
      case 'reasoning':
        assistant(id).content.push({ type: 'reasoning', id, text: textOf(from.summary) });
        return;
      case 'function_call':
        names.set(from.call_id, from.name);
        assistant(id).content.push({
          type: 'tool_call',
          id: from.call_id,
          name: from.name,
          arguments: from.arguments,
        });
        return;
      case 'function_call_output': {
        const last = messages.at(-1);
        const result = {
          type: 'tool_result' as const,
          callId: from.call_id,
          name: names.get(from.call_id) ?? '',
          status: 'ok' as const,
          content: userBlocks(id, from.output).filter((block) => block.type !== 'file'),
        };
        if (last?.role === 'tool') last.content.push(result);
        else messages.push({ role: 'tool', id, content: [result] });
        return;
      }
      default:
        from satisfies never;
    }
  }
}

function userBlocks(id: string, from: WireItemContent): UserBlock[] {
  if (typeof from === 'string') return textContent(id, from);
  return from.map((each, at): UserBlock => {
    const blockId = `${id}.${at}`;
    if (typeof each['image_url'] === 'string') return imageBlock(blockId, each['image_url']);
    if (typeof each['file_data'] === 'string')
      return fileBlock(blockId, String(each['filename']), each['file_data']);
    return { type: 'text', id: blockId, text: each.text ?? '' };
  });
}

/** The text of a content, in whichever of its shapes. */
export function textOf(from: WireItemContent): string {
  return typeof from === 'string' ? from : from.map((each) => each.text ?? '').join('');
}
