import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { item } from './call-responses.js';

type Answer = { status?: number; body: string | object };

/** What a response says of itself. */
export function responseWith(status: string, output: object[] = []) {
  return { id: 'resp_1', object: 'response', model: 'm', status, output };
}

export const answered: Answer = { body: responseWith('completed', [item.text('hello')]) };

/** A provider of background responses, whose polls the test answers; closed after it. */
export async function serveBackground(poll: (count: number) => Answer) {
  const seen = { begun: 0, polls: 0, cancelled: [] as string[] };
  const server = createServer((request, response) => {
    const { method, url = '' } = request;
    const send = ({ status = 200, body }: Answer) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const type = typeof body === 'string' ? 'text/html' : 'application/json';
      response.writeHead(status, { 'content-type': type }).end(text);
    };
    request.resume().once('end', () => {
      if (method === 'GET') return send(poll(++seen.polls));
      if (url.endsWith('/cancel')) {
        seen.cancelled.push(url.split('/').at(-2) ?? '');
        return send({ body: responseWith('cancelled') });
      }
      seen.begun += 1;
      send({ body: responseWith('queued') });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}
