import { z } from 'zod';
import type { JsonObject } from '../shared/json.js';
import type { AssistantMessage, Message, ToolResultBlock, UserBlock } from '../shared/messages.js';
import { textContent } from '../shared/messages.js';
import type { ModelRequest } from '../shared/model-port.js';
import { fileBlock, imageBlock } from './data-url.js';

const content = z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()]).optional();

const wireCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const wireMessage = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content }),
  z.object({ role: z.literal('user'), content }),
  z.looseObject({
    role: z.literal('assistant'),
    content,
    reasoning_content: z.string().optional(),
    reasoning: z.string().optional(),
    tool_calls: z.array(wireCall).optional(),
  }),
  z.object({ role: z.literal('tool'), content, tool_call_id: z.string() }),
]);

export const chatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(wireMessage).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({
          name: z.string(),
          description: z.string().optional(),
          parameters: z.record(z.string(), z.json()).optional(),
          strict: z.boolean().nullish(),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z
    .union([z.enum(['none', 'auto', 'required']), z.looseObject({ type: z.string() })])
    .optional(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z
        .looseObject({
          name: z.string(),
          schema: z.record(z.string(), z.json()).optional(),
          strict: z.boolean().nullish(),
        })
        .optional(),
    })
    .optional(),
});

export type ChatRequest = z.infer<typeof chatRequest>;
export type WireMessage = ChatRequest['messages'][number];
export type WireContent = z.infer<typeof content>;

/** A request of the wire in our terms, for scripts whose replies are functions of the transcript. */
export function toModelRequest(request: ChatRequest): ModelRequest {
  const [first, ...rest] = request.messages;
  const hasInstructions = first?.role === 'system' || first?.role === 'developer';
  const tools = request.tools ?? [];
  const format = request.response_format?.json_schema;
  const choice = request.tool_choice;
  return {
    model: request.model,
    instructions: hasInstructions ? textIn(first.content) : '',
    messages: toMessages(hasInstructions ? rest : request.messages),
    tools: tools.map((tool) => ({
      name: tool.function.name,
      description: tool.function.description ?? '',
      schema: (tool.function.parameters ?? {}) as JsonObject,
      ...(tool.function.strict && { strict: true }),
    })),
    ...(format && {
      output: {
        name: format.name,
        schema: (format.schema ?? {}) as JsonObject,
        strict: format.strict ?? false,
      },
    }),
    ...(typeof choice === 'string' && { toolChoice: choice }),
  };
}

/** Tool messages in a row are the results of one message of ours. */
function toMessages(wire: readonly WireMessage[]): Message[] {
  const names = new Map<string, string>();
  const messages: Message[] = [];
  for (const [at, from] of wire.entries()) {
    const id = `m${at}`;
    switch (from.role) {
      case 'system':
      case 'developer':
        messages.push({ role: 'system', id, content: textContent(id, textIn(from.content)) });
        break;
      case 'user':
        messages.push({ role: 'user', id, content: userBlocks(id, from.content) });
        break;
      case 'assistant':
        for (const call of from.tool_calls ?? []) names.set(call.id, call.function.name);
        messages.push(assistantMessage(id, from));
        break;
      case 'tool': {
        const last = messages.at(-1);
        const result = toolResult(id, from, names.get(from.tool_call_id) ?? '');
        if (last?.role === 'tool') last.content.push(result);
        else messages.push({ role: 'tool', id, content: [result] });
        break;
      }
      default:
        from satisfies never;
    }
  }
  return messages;
}

function assistantMessage(id: string, from: Extract<WireMessage, { role: 'assistant' }>): AssistantMessage {
  const text = textIn(from.content);
  const reasoning = from.reasoning_content ?? from.reasoning ?? '';
  const calls = (from.tool_calls ?? []).map((call) => ({
    type: 'tool_call' as const,
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }));
  return {
    role: 'assistant',
    id,
    content: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, id: `${id}.r`, text: reasoning }]),
      ...(text === '' ? [] : textContent(id, text)),
      ...calls,
    ],
  };
}

function toolResult(id: string, from: Extract<WireMessage, { role: 'tool' }>, name: string): ToolResultBlock {
  const text = textIn(from.content);
  return {
    type: 'tool_result',
    callId: from.tool_call_id,
    name,
    status: 'ok',
    content: textContent(id, text),
  };
}

function userBlocks(id: string, from: WireContent): UserBlock[] {
  if (typeof from === 'string') return textContent(id, from);
  return (from ?? []).map((part, at): UserBlock => {
    const blockId = `${id}.${at}`;
    const image = imageUrl.safeParse(part);
    if (image.success) return imageBlock(blockId, image.data.image_url.url);
    const file = filePart.safeParse(part);
    if (file.success) return fileBlock(blockId, file.data.file.filename, file.data.file.file_data);
    return { type: 'text', id: blockId, text: textIn([part]) };
  });
}

const imageUrl = z.object({ image_url: z.object({ url: z.string() }) });
const filePart = z.object({ file: z.object({ filename: z.string(), file_data: z.string() }) });

/** The text of a content, in whichever of its shapes. */
export function textIn(from: WireContent): string {
  if (typeof from === 'string') return from;
  return (from ?? []).map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('');
}
