import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { expect, onTestFinished, test } from 'vitest';
import { codecServer } from '../../src/codec/codec-server.js';
import { type CodecOptions, dataConverter } from '../../src/codec/data-converter.js';
import { newEncryptionKey } from '../../src/codec/keyring.js';
import { payloadsFromJson, payloadsToJson } from '../../src/codec/payload-json.js';

const codec: CodecOptions = { keys: newEncryptionKey('k1'), compress: true };
const UI = 'http://localhost:8233';
const JSON_TYPE = { 'content-type': 'application/json' };

type Answer = { status: number | undefined; headers: IncomingHttpHeaders; body: string };
type Asked = { method?: string; path?: string; headers?: Record<string, string>; body?: string };

/** A codec server of this test; with Node's own request, since `fetch` sets some of these headers itself. */
async function served(options: { token?: string } = {}) {
  const server = codecServer({ converter: dataConverter(codec), origins: [UI], ...options });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return async ({ method = 'POST', path = '/decode', headers = JSON_TYPE, body = '' }: Asked) => {
    const asked = request({ port, host: '127.0.0.1', method, path, headers, agent: false });
    asked.end(body);
    const [response] = await once(asked, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const answer: Answer = {
      status: response.statusCode,
      headers: response.headers,
      body: Buffer.concat(chunks).toString(),
    };
    return answer;
  };
}

const plain = payloadsToJson([
  defaultPayloadConverter.toPayload({ prompt: 'hello' }) as Payload,
  defaultPayloadConverter.toPayload('word '.repeat(5000)) as Payload,
]);

async function encrypted(ask: Awaited<ReturnType<typeof served>>): Promise<string> {
  const { body } = await ask({ path: '/encode', body: plain });
  return body;
}

test('what it encodes is encrypted, and what it decodes is what was encoded', async () => {
  const ask = await served();
  const body = await encrypted(ask);
  expect(body).not.toContain(Buffer.from('hello').toString('base64'));
  expect(payloadsFromJson(body)).toHaveLength(2);
  expect(await ask({ body })).toMatchObject({ status: 200, body: plain });
});

test('a path that names the namespace, and plain payloads, are taken too', async () => {
  const ask = await served();
  expect(await ask({ path: '/default/decode', body: plain })).toMatchObject({ status: 200, body: plain });
});

test("the Web UI's page may ask, with the headers that it sends", async () => {
  const ask = await served();
  const preflight = await ask({
    method: 'OPTIONS',
    headers: {
      origin: UI,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,x-namespace',
      'access-control-request-private-network': 'true',
    },
  });
  expect(preflight).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': UI,
      'access-control-allow-headers': expect.stringMatching(/authorization.*content-type.*x-namespace/),
      'access-control-allow-methods': expect.stringContaining('POST'),
      'access-control-allow-private-network': 'true',
    },
  });
  const headers = { ...JSON_TYPE, origin: UI, 'x-namespace': 'default' };
  expect(await ask({ headers, body: plain })).toMatchObject({
    status: 200,
    headers: { 'access-control-allow-origin': UI },
  });
});

test('no other page may: neither from another origin, nor without a preflight, nor under a name of its own', async () => {
  const ask = await served();
  const body = await encrypted(ask);
  const evil = await ask({ headers: { ...JSON_TYPE, origin: 'https://evil.example' }, body });
  expect(evil).toMatchObject({ status: 403, body: expect.stringContaining('--origin') });
  expect(evil.headers['access-control-allow-origin']).toBeUndefined();
  expect(await ask({ headers: { 'content-type': 'text/plain' }, body })).toMatchObject({ status: 415 });
  expect(await ask({ headers: { ...JSON_TYPE, host: 'evil.example:8888' }, body })).toMatchObject({
    status: 403,
  });
});

test('with a token it serves those who bring it, under any name', async () => {
  const ask = await served({ token: 'let me in' });
  const by = (authorization: string) => ({ ...JSON_TYPE, authorization, host: 'codec.example' });
  expect(await ask({ body: plain })).toMatchObject({ status: 401 });
  expect(await ask({ headers: by('Bearer guess'), body: plain })).toMatchObject({ status: 401 });
  expect(await ask({ headers: by('Bearer let me in'), body: plain })).toMatchObject({ status: 200 });
});

test('a payload of another key is refused by the name of the key', async () => {
  const ask = await served();
  const [other] = dataConverter({ keys: newEncryptionKey('gone') }).payloadCodecs?.slice(-1) ?? [];
  const body = payloadsToJson((await other?.encode(payloadsFromJson(plain) ?? [])) ?? []);
  expect(await ask({ body })).toMatchObject({ status: 400, body: expect.stringContaining('the key "gone"') });
});

test.each(['', '{', '[]', 'null', '{"payloads":1}', '{"payloads":[1]}', '{"payloads":[{"data":1}]}'])(
  'the body %j is refused',
  async (body) => {
    const ask = await served();
    expect(await ask({ body })).toMatchObject({ status: 400, body: expect.stringContaining('base64') });
  },
);

test('other paths and methods are told what it is', async () => {
  const ask = await served();
  expect(await ask({ method: 'GET', path: '/' })).toMatchObject({
    status: 404,
    body: expect.stringContaining('codec server'),
  });
  expect(await ask({ method: 'GET' })).toMatchObject({ status: 405 });
});
