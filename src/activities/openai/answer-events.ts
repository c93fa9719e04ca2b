import { isJsonObject, type JsonObject } from '../../shared/json.js';
import type { ModelError } from '../../shared/model-port.js';
import { badResponse } from './classify-error.js';
import { modelFailure } from './model-failure.js';
import { type StreamEvent, streamEvents } from './server-sent-events.js';

export type AnswerListener = {
  /** Of what is read; a longer answer throws `Model.BadResponse`. */
  maxBytes: number;
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
  { maxBytes, onBytes, onEnd }: AnswerListener,
): AsyncGenerator<StreamEvent> {
  const count = byteCounter(maxBytes);
  const type = response.headers.get('content-type') ?? '';
  if (response.body !== null && !/json|html/i.test(type)) {
    yield* streamEvents(response.body, (bytes) => {
      count(bytes);
      onBytes();
    });
    onEnd();
    return;
  }
  const body = await textOf(response, count);
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

function byteCounter(maxBytes: number): (bytes: number) => void {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    if (sum > maxBytes) throw endless(maxBytes);
  };
}

function endless(maxBytes: number): ModelError {
  return modelFailure('Model.BadResponse', `more than ${maxBytes} bytes came`, {
    ...{ maxAttempts: 2, usage: 'unknown' },
    advice:
      'The answer is longer than a reply may be, or has no end; it is tried once more. Bound the reply by maxOutputTokens, or raise maxReplyBytes.',
  });
}

async function textOf({ body }: Response, count: (bytes: number) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body ?? []) {
    count(bytes.length);
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
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
