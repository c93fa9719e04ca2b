import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Finding } from '../../src/cli/doctor/check.js';
import { endpointOf } from '../../src/cli/doctor/endpoint.js';
import { modelChecks } from '../../src/cli/doctor/model-checks.js';

async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What the first check says of this address. */
async function reached(url: string, timeoutMs = 5000): Promise<Finding | undefined> {
  const options = { baseURL: url };
  const [first] = modelChecks({ url, isOpenAi: false, key: 'k', model: 'm', options, timeoutMs });
  return await first?.run();
}

const page = '<!DOCTYPE html><html><head><title>Open WebUI</title></head></html>';
const list = JSON.stringify({ object: 'list', data: [{ id: 'qwen3' }] });

test('a web page at a wrong base URL is named by its title', async () => {
  const url = await served((_, response) => void response.setHeader('content-type', 'text/html').end(page));
  expect(await reached(url)).toMatchObject({
    status: 'failed',
    says: 'A web page answered (200), "Open WebUI", and no model server.',
    advice: expect.stringContaining('usually ends in /v1'),
  });
});

test.each([
  ['a web page', 200, page],
  ['a 404', 404, '{"error":"not found"}'],
])('%s where the API is under /v1 says so', async (_, status, body) => {
  const url = await served((request, response) => {
    if (request.url === '/v1/models') return void response.end(list);
    response.writeHead(status).end(body);
  });
  expect(await reached(url)).toMatchObject({
    status: 'failed',
    advice: `Set OPENAI_BASE_URL=${url}/v1, which answers.`,
  });
});

test('a server without a list of models is reached all the same', async () => {
  const url = await served((_, response) => void response.writeHead(404).end('{"detail":"Not Found"}'));
  expect(await reached(`${url}/v1`)).toMatchObject({ status: 'ok' });
});

test.each([404, 405])(
  'a page that says %i of the list of models says nothing of the replies',
  async (status) => {
    const url = await served((_, response) => void response.writeHead(status).end(page));
    expect(await reached(`${url}/v1`)).toMatchObject({ status: 'ok' });
  },
);

test('a gateway before a server that is down is told from a wrong address', async () => {
  const bad = '<html><head><title>502 Bad Gateway</title></head></html>';
  const url = await served((_, response) => void response.writeHead(502).end(bad));
  expect(await reached(`${url}/v1`)).toMatchObject({
    status: 'failed',
    says: `A gateway answers at ${new URL(url).host}, and the server behind it does not: 502, "502 Bad Gateway".`,
    advice: expect.stringContaining('Start the server behind it'),
  });
});

test('pages in place of the list and of a reply are no missing model', async () => {
  const url = await served((_, response) => void response.writeHead(404).end(page));
  const options = { baseURL: `${url}/v1` };
  const endpoint = { url: `${url}/v1`, isOpenAi: false, key: 'k', model: 'm', options, timeoutMs: 5000 };
  const found: Record<string, Finding> = {};
  for (const { name, run } of modelChecks(endpoint)) found[name] = await run();
  expect(found['model']).toMatchObject({
    status: 'failed',
    says: expect.stringContaining('Nothing of the API is at this address.'),
    advice: expect.stringContaining('OPENAI_BASE_URL'),
  });
});

test("OpenAI's regions are OpenAI", () => {
  vi.stubEnv('OPENAI_API_KEY', 'k');
  onTestFinished(() => void vi.unstubAllEnvs());
  const options = { baseUrl: 'https://eu.api.openai.com/v1', api: 'chat', timeoutMs: 1 } as const;
  expect(endpointOf(options, {}).isOpenAi).toBe(true);
});

test('a server that hangs is given up', async () => {
  const url = await served(() => undefined);
  expect(await reached(`${url}/v1`, 300)).toMatchObject({
    status: 'failed',
    says: expect.stringContaining('did not answer in time'),
  });
});

test('https to a server that speaks http is told from a server that is down', async () => {
  const url = await served((_, response) => void response.end(list));
  expect(await reached(url.replace('http:', 'https:'))).toMatchObject({
    status: 'failed',
    advice: 'Try http:// in OPENAI_BASE_URL.',
  });
});
