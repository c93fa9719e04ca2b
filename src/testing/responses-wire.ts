import type { Json, JsonObject } from '../shared/json.js';
import type { Usage } from '../shared/turn.js';
import type { NextAnswer, NumberedPart } from './next-answer.js';
import { piecesOf } from './pieces.js';

type Reply = Extract<NextAnswer, { type: 'reply' }>;

const ENCRYPTED = 'scripted:';

/** Whether reasoning comes back as the script had sent it. */
export function isOurs(encrypted: string): boolean {
  return encrypted.startsWith(ENCRYPTED);
}

/** A reply as a response object, the whole body of an answer. */
export function toResponse(reply: Reply, model: string, id = 'resp_scripted'): JsonObject {
  const reason = { length: 'max_output_tokens', content_filter: 'content_filter' }[reply.finish ?? ''];
  return {
    ...responseHead(model, id, reason === undefined ? 'completed' : 'incomplete'),
    incomplete_details: reason === undefined ? null : { reason },
    output: itemsOf(reply.parts, reason === undefined ? 'completed' : 'incomplete'),
    usage: reply.usage ? wireUsage(reply.usage) : null,
  };
}

export function responseHead(model: string, id: string, status: string): JsonObject {
  return { id, object: 'response', created_at: 0, model, status, error: null, output: [] };
}

/** A reply as the events of a stream, to its last. */
export function toEvents(reply: Reply, model: string, pieceChars: number): JsonObject[] {
  const response = toResponse(reply, model);
  const items = response['output'] as JsonObject[];
  return numbered([
    ...openingEvents(model),
    ...items.flatMap((item, index) => itemEvents(item, index, pieceChars)),
    { type: `response.${response['status']}`, response },
  ]);
}

/** A text that doesn't come to its end. */
export function textEvents(model: string, pieces: readonly string[]): JsonObject[] {
  const item = { type: 'message', id: 'msg_0', role: 'assistant', status: 'in_progress', content: [] };
  return numbered([
    ...openingEvents(model),
    { type: 'response.output_item.added', output_index: 0, item },
    ...textDeltas('msg_0', 0, pieces),
  ]);
}

function numbered(events: readonly JsonObject[]): JsonObject[] {
  return events.map((event, at) => ({ ...event, sequence_number: at }));
}

function openingEvents(model: string): JsonObject[] {
  const response = responseHead(model, 'resp_scripted', 'in_progress');
  return [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
  ];
}

function itemsOf(parts: readonly NumberedPart[], status: string): JsonObject[] {
  return parts.map((part, at): JsonObject => {
    switch (part.type) {
      case 'text': {
        const content = [{ type: 'output_text', text: part.text, annotations: [] }];
        return { type: 'message', id: `msg_${at}`, role: 'assistant', status, content };
      }
      case 'reasoning':
        return {
          type: 'reasoning',
          id: `rs_${at}`,
          summary: [{ type: 'summary_text', text: part.text }],
          encrypted_content: ENCRYPTED + Buffer.from(part.text).toString('base64'),
        };
      case 'tool_call': {
        const { id, name, arguments: written } = part;
        return { type: 'function_call', id: `fc_${at}`, call_id: id, name, arguments: written, status };
      }
      default:
        return part satisfies never;
    }
  });
}

function itemEvents(item: JsonObject, index: number, pieceChars: number): JsonObject[] {
  const added = { type: 'response.output_item.added', output_index: index };
  const done = { type: 'response.output_item.done', output_index: index, item };
  const id = String(item['id']);
  switch (item['type']) {
    case 'message': {
      const [part] = item['content'] as [{ text: string }];
      return [
        { ...added, item: { ...item, status: 'in_progress', content: [] } },
        ...textDeltas(id, index, piecesOf(part.text, pieceChars)),
        { type: 'response.output_text.done', item_id: id, output_index: index, text: part.text },
        done,
      ];
    }
    case 'function_call': {
      const written = String(item['arguments']);
      const place = { item_id: id, output_index: index };
      return [
        { ...added, item: { ...item, status: 'in_progress', arguments: '' } },
        ...piecesOf(written, pieceChars).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          ...place,
          delta,
        })),
        { type: 'response.function_call_arguments.done', ...place, arguments: written },
        done,
      ];
    }
    default: {
      const [part] = item['summary'] as [{ text: string }];
      return [
        { ...added, item: { ...item, summary: [], encrypted_content: '' } },
        ...piecesOf(part.text, pieceChars).map((delta) => ({
          type: 'response.reasoning_summary_text.delta',
          item_id: id,
          output_index: index,
          delta,
        })),
        done,
      ];
    }
  }
}

function textDeltas(id: string, index: number, pieces: readonly string[]): JsonObject[] {
  return pieces.map((delta) => ({
    type: 'response.output_text.delta',
    item_id: id,
    output_index: index,
    content_index: 0,
    delta,
  }));
}

function wireUsage(usage: Usage): Json {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    ...(inputTokens !== undefined && { input_tokens: inputTokens }),
    ...(outputTokens !== undefined && { output_tokens: outputTokens }),
    total_tokens: (inputTokens ?? 0) + (outputTokens ?? 0),
    ...(cachedInputTokens !== undefined && { input_tokens_details: { cached_tokens: cachedInputTokens } }),
    ...(reasoningTokens !== undefined && { output_tokens_details: { reasoning_tokens: reasoningTokens } }),
  };
}
