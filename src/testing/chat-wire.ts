import type { Json, JsonObject } from '../shared/json.js';
import type { Usage } from '../shared/turn.js';
import type { NextAnswer, NumberedPart } from './next-answer.js';
import { piecesOf } from './pieces.js';

type Reply = Extract<NextAnswer, { type: 'reply' }>;

export type ChunkOptions = { model: string; pieceChars: number; includeUsage: boolean };

/** A reply as the chunks of a Chat Completions stream, without `[DONE]`. */
export function toChunks(reply: Reply, options: ChunkOptions): JsonObject[] {
  let calls = 0;
  const deltas: JsonObject[] = [{ role: 'assistant', content: '' }];
  for (const part of reply.parts) {
    deltas.push(...partDeltas(part, part.type === 'tool_call' ? calls++ : 0, options.pieceChars));
  }
  const { usage } = reply;
  return [
    ...deltas.map((delta) => chunk(options.model, [{ index: 0, delta, finish_reason: null }])),
    chunk(options.model, [{ index: 0, delta: {}, finish_reason: reply.finish }]),
    ...(usage && options.includeUsage ? [{ ...chunk(options.model, []), usage: wireUsage(usage) }] : []),
  ];
}

export function textChunk(model: string, content: string): JsonObject {
  return chunk(model, [{ index: 0, delta: { content }, finish_reason: null }]);
}

function partDeltas(part: NumberedPart, index: number, pieceChars: number): JsonObject[] {
  switch (part.type) {
    case 'text':
      return piecesOf(part.text, pieceChars).map((content) => ({ content }));
    case 'reasoning':
      return piecesOf(part.text, pieceChars).map((piece) => ({ reasoning_content: piece }));
    case 'tool_call': {
      const { id, name } = part;
      const begin = { index, id, type: 'function', function: { name, arguments: '' } };
      const rest = piecesOf(part.arguments, pieceChars).map((piece) => ({
        index,
        function: { arguments: piece },
      }));
      return [begin, ...rest].map((call) => ({ tool_calls: [call] }));
    }
    default:
      return part satisfies never;
  }
}

/** A reply as the one body of a request that didn't ask for a stream. */
export function toCompletion(reply: Reply, model: string): JsonObject {
  const calls = reply.parts.filter((part) => part.type === 'tool_call');
  const message: JsonObject = {
    role: 'assistant',
    content: joined(reply.parts, 'text') || null,
    ...(reply.parts.some((part) => part.type === 'reasoning') && {
      reasoning_content: joined(reply.parts, 'reasoning'),
    }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: written }) => ({
        id,
        type: 'function',
        function: { name, arguments: written },
      })),
    }),
  };
  return {
    ...head(model, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: reply.finish }],
    ...(reply.usage && { usage: wireUsage(reply.usage) }),
  };
}

function joined(parts: readonly NumberedPart[], type: 'text' | 'reasoning'): string {
  return parts.map((part) => (part.type === type ? part.text : '')).join('');
}

function chunk(model: string, choices: Json[]): JsonObject {
  return { ...head(model, 'chat.completion.chunk'), choices };
}

function head(model: string, object: string): JsonObject {
  return { id: 'chatcmpl-scripted', object, created: 0, model };
}

function wireUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage;
  return {
    ...(inputTokens !== undefined && { prompt_tokens: inputTokens }),
    ...(outputTokens !== undefined && { completion_tokens: outputTokens }),
    total_tokens: (inputTokens ?? 0) + (outputTokens ?? 0),
    ...(cachedInputTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedInputTokens } }),
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  };
}
