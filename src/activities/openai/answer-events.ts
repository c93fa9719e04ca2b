import { isJsonObject, type JsonObject, parseJson } from '../../shared/json.js';
import type { ModelError } from '../../shared/model-port.js';
import { badResponse } from './classify-error.js';
import { errorInReply } from './error-in-reply.js';
import { modelFailure } from './model-failure.js';
import { type StreamEvent, streamEvents } from './server-sent-events.js';

/** What has come: a part of an event, nothing but keep-alive comments, or a part of a body that is no stream. */
export type Sign = 'event' | 'comment' | 'body';

export type AnswerListener = {
  /** Of what is read; a longer answer throws `Model.BadResponse`. */
  maxBytes: number;
  onSign(sign: Sign): void;
  /** The connection has nothing more of this answer. */
  onEnd(): void;
};

/**
 * The events of an answer of status 200. A gateway may answer a request for a stream with one JSON body, a reply or
 * an error, which counts as one event with its ending; with a page, which throws `Model.BadResponse`; or with a
 * stream, of events or of JSON lines, under another content type. What it is, its first line tells.
 */
export async function* answerEvents(
  response: Response,
  { maxBytes, onSign, onEnd }: AnswerListener,
): AsyncGenerator<StreamEvent> {
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null) throw badResponse('an empty answer');
  const { line, all } = await firstLine(counted(response.body, maxBytes), (sofar) => {
    const mayBeBody = /json|html/i.test(type) || /^[{[]/.test(sofar);
    if (mayBeBody) onSign('body');
    return mayBeBody;
  });
  if (isStream(type, line)) {
    yield* streamEvents(all, onSign);
    onEnd();
    return;
  }
  const body = await textOf(all, () => onSign('body'));
  onEnd();
  if (!/^\s*[{[]/.test(body)) throw badResponse(body === '' ? 'an empty answer' : body);
  yield { type: 'data', value: replyOrError(body) };
  yield { type: 'end' };
}

function isStream(type: string, line: string): boolean {
  if (/html/i.test(type)) return false;
  if (!/^[{[]/.test(line)) return !/json/i.test(type) || /^(?:data|event|id|retry|error)?:/.test(line);
  const json = parseJson(line);
  if (!json.ok || !isJsonObject(json.value)) return false;
  return isChunk(json.value) || /event-stream|ndjson|jsonl|json-seq|json-lines/i.test(type);
}

/** Whether a line of JSON is one event of many. */
function isChunk(value: JsonObject): boolean {
  const { choices, object, type } = value;
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const hasDelta = isJsonObject(choice) && isJsonObject(choice['delta']);
  return (
    hasDelta ||
    object === 'chat.completion.chunk' ||
    (typeof type === 'string' && type.startsWith('response.'))
  );
}

/** The first line that isn't blank, or as much of it as is `needed`; and all that was read, with the rest. */
async function firstLine(
  body: AsyncGenerator<Uint8Array>,
  needed: (line: string) => boolean,
): Promise<{ line: string; all: AsyncIterable<Uint8Array> }> {
  const decoder = new TextDecoder();
  const read: Uint8Array[] = [];
  let line = '';
  for (;;) {
    const next = await body.next();
    if (next.done) break;
    read.push(next.value);
    const text = decoder.decode(next.value, { stream: true });
    const piece = line === '' ? text.trimStart() : text;
    const end = piece.search(/[\r\n]/);
    line += end < 0 ? piece : piece.slice(0, end);
    if ((!needed(line) && line !== '') || end >= 0) break;
  }
  return { line, all: joined(read, body) };
}

async function* joined(first: Uint8Array[], rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* first;
  yield* rest;
}

async function* counted(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  const count = byteCounter(maxBytes);
  for await (const bytes of body) {
    count(bytes.length);
    yield bytes;
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

async function textOf(body: AsyncIterable<Uint8Array>, onPiece: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of body) {
    onPiece();
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}

function replyOrError(body: string): JsonObject {
  const parsed: unknown = JSON.parse(body);
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (isJsonObject(first) && (isReply(first) || errorInReply(first) !== undefined)) return first;
  throw badResponse(body);
}

function isReply(body: JsonObject): boolean {
  return body['object'] === 'response' || [body['choices'], body['output']].some(Array.isArray);
}
