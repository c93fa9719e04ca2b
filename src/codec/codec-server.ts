import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { DataConverter, Payload } from '@temporalio/common';
import { errorText } from '../shared/wire-text.js';
import { CodecError } from './codec-error.js';
import { payloadsFromJson, payloadsToJson } from './payload-json.js';

/** A page of the Web UI sends the payloads of one event, of which Temporal carries some megabytes, as base64. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

export type CodecServerOptions = {
  converter: DataConverter;
  /** Pages that may ask from a browser: the Web UI's, as `http://localhost:8233`. */
  origins: readonly string[];
  /** Asked of each request as `Authorization: Bearer <token>`. */
  token?: string;
};

/**
 * Temporal's remote codec protocol: `POST /decode` and `/encode`, payloads as protobuf's JSON, for the Web UI and the
 * `temporal` program. Not listening yet. Whoever it answers can read all that the keys open; so without a token it
 * serves this machine only, and of web pages in any case only those of `origins`.
 */
export function codecServer(options: CodecServerOptions): Server {
  return createServer((request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      const refusal = error instanceof Refusal ? error : undefined;
      const status = refusal?.status ?? (error instanceof CodecError ? 400 : 500);
      send(response, status, 'text/plain; charset=utf-8', `${errorText(error)}\n`);
    });
  });
}

/** A request that is not served, with its HTTP status. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function answer(
  options: CodecServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin } = request.headers;
  if (origin !== undefined) allowOrigin(options, origin, request, response);
  if (request.method === 'OPTIONS') {
    response.writeHead(204).end();
    return;
  }
  checkCaller(options, request);
  // The `temporal` program may put the namespace before it.
  const action = new URL(request.url ?? '/', 'http://localhost').pathname.split('/').at(-1);
  if (action !== 'decode' && action !== 'encode') {
    throw new Refusal(404, 'This is a Temporal codec server: POST /decode or POST /encode.');
  }
  if (request.method !== 'POST') throw new Refusal(405, `Use POST for /${action}.`);
  // A web page of any origin may send other types without asking first.
  if (!request.headers['content-type']?.startsWith('application/json')) {
    throw new Refusal(415, 'Send application/json.');
  }
  const payloads = payloadsOf(await bodyOf(request));
  send(
    response,
    200,
    'application/json',
    payloadsToJson(await converted(options.converter, action, payloads)),
  );
}

function allowOrigin(
  { origins }: CodecServerOptions,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!origins.includes(origin)) {
    throw new Refusal(403, `Pages of ${origin} may not use this codec server. Allow them with --origin.`);
  }
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-credentials', 'true');
  response.setHeader('access-control-allow-methods', 'POST, OPTIONS');
  response.setHeader('access-control-allow-headers', 'authorization, content-type, x-namespace');
  response.setHeader('access-control-max-age', '600');
  response.setHeader('vary', 'origin');
  // Chromium asks this where a page from elsewhere calls a server of this machine.
  if (request.headers['access-control-request-private-network']) {
    response.setHeader('access-control-allow-private-network', 'true');
  }
}

function checkCaller({ token }: CodecServerOptions, { headers }: IncomingMessage): void {
  if (token !== undefined) {
    const same = timingSafeEqual(digest(headers.authorization ?? ''), digest(`Bearer ${token}`));
    if (!same) throw new Refusal(401, 'The bearer token is missing or is another one.');
    return;
  }
  // A page whose own name leads to 127.0.0.1 sends no foreign origin.
  if (!LOCAL_HOST.test(headers.host ?? '')) {
    throw new Refusal(403, 'Without a token this codec server answers to localhost only.');
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new Refusal(413, `A request may take ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function payloadsOf(body: string): Payload[] {
  const payloads = payloadsFromJson(body);
  if (!payloads)
    throw new Refusal(400, 'Send {"payloads":[{"metadata":{...},"data":"..."}]}, values in base64.');
  return payloads;
}

async function converted(
  { payloadCodecs = [] }: DataConverter,
  action: 'decode' | 'encode',
  payloads: Payload[],
): Promise<Payload[]> {
  let done = payloads;
  for (const codec of action === 'encode' ? payloadCodecs : payloadCodecs.toReversed()) {
    done = await codec[action](done);
  }
  return done;
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}
