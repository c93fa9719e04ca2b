import type { ServerResponse } from 'node:http';
import type { Json, JsonObject } from '../shared/json.js';
import { faultBody, faultHeaders, textBeforeFault } from './fault-error.js';
import type { NextAnswer } from './next-answer.js';
import { pause, piecesOf } from './pieces.js';
import type { Fault, RawAnswer } from './script.js';

/** The one who asked; `signal` fires once it is gone. */
export type Client = {
  response: ServerResponse;
  signal: AbortSignal;
  sendJson(status: number, body: Json, headers?: Record<string, string>): void;
};

/** How one API says things; events as they stand on the wire. */
export type Protocol = {
  asksForStream: boolean;
  whole(reply: ReplyAnswer): JsonObject;
  events(reply: ReplyAnswer, pieceChars: number): string[];
  /** A text that doesn't come to its end. */
  textEvents(pieces: readonly string[]): string[];
  errorEvent(body: Json): string;
};

export type ReplyAnswer = Extract<NextAnswer, { type: 'reply' }>;

export type Pace = { pieceChars: number; pieceDelayMs: number };

const EVENT_STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/** Plays a scripted answer over HTTP. */
export async function answerClient(
  client: Client,
  protocol: Protocol,
  answer: NextAnswer,
  pace: Pace,
): Promise<void> {
  if (answer.type === 'raw') return playRaw(client, answer);
  if (answer.delayMs !== undefined && answer.delayMs > 0) await pause(answer.delayMs, client.signal);
  if (answer.type === 'fault') return playFault(client, protocol, answer, pace);
  if (!protocol.asksForStream) return client.sendJson(200, protocol.whole(answer));
  await stream(client, protocol.events(answer, pace.pieceChars), pace);
  client.response.end();
}

async function playFault(client: Client, protocol: Protocol, fault: Fault, pace: Pace): Promise<void> {
  const body = faultBody(fault);
  const { response } = client;
  if (fault.status !== undefined && fault.afterChars === undefined) {
    if (typeof body !== 'string') return client.sendJson(fault.status, body, faultHeaders(fault));
    response.writeHead(fault.status, { 'content-type': 'text/plain', ...faultHeaders(fault) });
    response.end(body);
    return;
  }
  const pieces = piecesOf(textBeforeFault(fault), pace.pieceChars);
  await stream(client, protocol.textEvents(pieces), pace);
  if (fault.status !== undefined) response.end(protocol.errorEvent(body));
  else if (fault.cut === 'clean') response.end();
  else response.destroy();
}

async function stream(client: Client, events: readonly string[], pace: Pace): Promise<void> {
  client.response.writeHead(200, EVENT_STREAM);
  client.response.flushHeaders();
  for (const event of events) {
    await pause(pace.pieceDelayMs, client.signal);
    await written(client.response, event);
  }
}

async function playRaw(client: Client, raw: RawAnswer): Promise<void> {
  const { response } = client;
  response.writeHead(raw.status, raw.headers);
  response.flushHeaders();
  for (const piece of raw.pieces) {
    await pause(0, client.signal);
    await written(response, piece);
  }
  if (raw.ending === 'close') response.end();
  if (raw.ending === 'cut') response.destroy();
}

/** Resolves once it is out, so that a connection which breaks next does not take it along. */
async function written(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  if (piece.length === 0) return;
  await new Promise<void>((resolve) => response.write(piece, () => resolve()));
}
