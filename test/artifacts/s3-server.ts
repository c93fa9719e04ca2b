import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { signedHeaders } from '../../src/artifacts/sign-request.js';

export const credentials = { accessKeyId: 'the-key', secretAccessKey: 'the+secret/key' };
export const region = 'eu-west-1';
const PAGE = 2;

type Stored = { bytes: Buffer; storedAt: Date };

export type S3Server = {
  endpoint: string;
  /** By path: `/bucket/key`. */
  objects: Map<string, Stored>;
  /** Method and path of each request. */
  requests: string[];
  /** How many of the next requests are answered with 503. */
  busy: number;
};

/** A server that speaks as much of S3's REST as an artifact store needs, and refuses what S3 refuses. */
export async function s3Server(): Promise<S3Server> {
  const state: S3Server = { endpoint: '', objects: new Map(), requests: [], busy: 0 };
  const server = createServer((request, response) => {
    answer(state, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  state.endpoint = `http://127.0.0.1:${port}`;
  return state;
}

async function answer(state: S3Server, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', state.endpoint);
  state.requests.push(`${request.method} ${url.pathname}`);
  const body = await buffer(request);
  const refuse = (status: number, code: string) =>
    response
      .writeHead(status, { 'content-type': 'application/xml' })
      .end(`<Error><Code>${code}</Code></Error>`);
  if (state.busy > 0) {
    state.busy -= 1;
    return void refuse(503, 'SlowDown');
  }
  const sha256 = String(request.headers['x-amz-content-sha256']);
  if (createHash('sha256').update(body).digest('hex') !== sha256)
    return void refuse(400, 'XAmzContentSHA256Mismatch');
  if (!isSigned(request, url, sha256)) return void refuse(403, 'SignatureDoesNotMatch');
  if (!url.pathname.startsWith('/bucket/')) return void refuse(404, 'NoSuchBucket');
  switch (request.method) {
    case 'PUT':
      if (request.headers['content-length'] === undefined) return void refuse(411, 'MissingContentLength');
      state.objects.set(url.pathname, { bytes: body, storedAt: new Date() });
      return void response.end();
    case 'DELETE':
      state.objects.delete(url.pathname);
      return void response.writeHead(204).end();
    default:
      if (url.searchParams.get('list-type') === '2') return void response.end(list(state, url));
      return get(state, url, request, response, refuse);
  }
}

function isSigned(request: IncomingMessage, url: URL, bodySha256: string): boolean {
  const time = String(request.headers['x-amz-date']);
  const at = new Date(time.replace(/^(....)(..)(..T..)(..)(..)Z$/, '$1-$2-$3:$4:$5Z'));
  const [, names = ''] = /SignedHeaders=([^,]*)/.exec(String(request.headers.authorization)) ?? [];
  const headers = Object.fromEntries(names.split(';').map((name) => [name, String(request.headers[name])]));
  const expected = signedHeaders({ method: request.method ?? '', url, headers, bodySha256 }, credentials, {
    region,
    at,
  });
  return expected['authorization'] === request.headers.authorization;
}

function get(
  state: S3Server,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  refuse: (status: number, code: string) => void,
): void {
  const found = state.objects.get(url.pathname);
  if (!found) {
    refuse(404, 'NoSuchKey');
    return;
  }
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  if (from === undefined || to === undefined) response.end(found.bytes);
  else if (Number(from) >= found.bytes.length) refuse(416, 'InvalidRange');
  else response.writeHead(206).end(found.bytes.subarray(Number(from), Number(to) + 1));
}

function list(state: S3Server, url: URL): string {
  const prefix = `/bucket/${url.searchParams.get('prefix')}`;
  const after = url.searchParams.get('continuation-token') ?? '';
  const keys = [...state.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const shown = keys.slice(0, PAGE).map((key) => {
    const storedAt = state.objects.get(key)?.storedAt.toISOString();
    return `<Contents><Key>${key.slice('/bucket/'.length)}</Key><LastModified>${storedAt}</LastModified></Contents>`;
  });
  const next = keys.length > PAGE ? `<NextContinuationToken>${keys[PAGE - 1]}</NextContinuationToken>` : '';
  return `<ListBucketResult>${shown.join('')}${next}</ListBucketResult>`;
}
