import { isJsonObject, type JsonObject } from '../shared/json.js';
import type { Protocol } from './answer-client.js';
import type { ChatRequest } from './chat-request.js';
import { textChunk, toChunks, toCompletion } from './chat-wire.js';
import type { ResponsesRequest } from './responses-request.js';
import { textEvents, toEvents, toResponse } from './responses-wire.js';

export function chatProtocol({ model, stream, stream_options }: ChatRequest): Protocol {
  const includeUsage = stream_options?.include_usage ?? false;
  return {
    asksForStream: stream ?? false,
    whole: (reply) => toCompletion(reply, model),
    events: (reply, pieceChars) => [
      ...toChunks(reply, { model, pieceChars, includeUsage }).map(dataEvent),
      'data: [DONE]\n\n',
    ],
    textEvents: (pieces) => pieces.map((piece) => dataEvent(textChunk(model, piece))),
    errorEvent: (body) => `data: ${JSON.stringify(body)}\n\n`,
  };
}

export function responsesProtocol({ model, stream }: ResponsesRequest): Protocol {
  return {
    asksForStream: stream ?? false,
    whole: (reply) => toResponse(reply, model),
    events: (reply, pieceChars) => toEvents(reply, model, pieceChars).map(namedEvent),
    textEvents: (pieces) => textEvents(model, pieces).map(namedEvent),
    errorEvent(body) {
      const inner = isJsonObject(body) ? (body['error'] ?? body) : { message: body };
      return namedEvent({ ...(isJsonObject(inner) ? inner : { message: inner }), type: 'error' });
    },
  };
}

function dataEvent(chunk: JsonObject): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function namedEvent(event: JsonObject): string {
  return `event: ${event['type']}\n${dataEvent(event)}`;
}
