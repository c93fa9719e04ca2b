import { isJsonObject, type JsonObject } from '../../shared/json.js';
import { badResponse } from './classify-error.js';
import { type StreamEvent, streamEvents } from './server-sent-events.js';

export type AnswerListener = {
  /** For whatever comes of a stream, keep-alive comments too. */
  onBytes(): void;
  /** The connection has nothing more of this answer. */
  onEnd(): void;
};

/**
 * The events of an answer of status 200. A gateway may answer a request for a stream with one JSON body, a reply or
 * an error, which counts as one event with its ending; with a page, which throws `Model.BadResponse`; or with a
 * stream under another content type.
 */
export async function* answerEvents(
  response: Response,
  { onBytes, onEnd }: AnswerListener,
): AsyncGenerator<StreamEvent> {
  const type = response.headers.get('content-type') ?? '';
  if (response.body !== null && !/json|html/i.test(type)) {
    yield* streamEvents(response.body, onBytes);
    onEnd();
    return;
  }
  const body = await response.text();
  onEnd();
  if (/^\s*[{[]/.test(body)) {
    yield { type: 'data', value: replyOrError(body) };
    yield { type: 'end' };
  } else if (/^(?:data|event|id|retry)?:/m.test(body) && !/html/i.test(type)) {
    yield* streamEvents(asBytes(body), onBytes);
  } else {
    throw badResponse(body === '' ? 'an empty answer' : body);
  }
}

function replyOrError(body: string): JsonObject {
  const parsed: unknown = JSON.parse(body);
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (isJsonObject(first) && (first['error'] || isReply(first))) return first;
  throw badResponse(body);
}

function isReply(body: JsonObject): boolean {
  return body['object'] === 'response' || [body['choices'], body['output']].some(Array.isArray);
}

async function* asBytes(body: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(body);
}
