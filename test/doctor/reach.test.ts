import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../src/cli/doctor/check.js';
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
    says: 'A web page answered, "Open WebUI", and no model server.',
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
