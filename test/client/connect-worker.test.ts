import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { connectWorker, isThisMachine } from '../../src/worker/connect.js';

/** What the first request says of compressing, to a server that refuses it. */
async function compressionTold(host: string): Promise<unknown[]> {
  const server = createServer();
  const told: unknown[] = [];
  server.on('stream', (stream, headers) => {
    told.push(headers['grpc-encoding'], headers['grpc-accept-encoding']);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '7' },
      { endStream: true },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `${host}:${(server.address() as AddressInfo).port}`;
  await expect(connectWorker({ address })).rejects.toThrow();
  server.close();
  return told.slice(0, 2);
}

test('a worker compresses nothing that it tells a server of its own machine', async () => {
  expect(await compressionTold('127.0.0.1')).toEqual([undefined, undefined]);
});

// The system takes 0.0.0.0 for this machine, too, which we don't.
test('where a wire may be between them it compresses, as the SDK does by default', async () => {
  expect(await compressionTold('0.0.0.0')).toContain('gzip');
});

test.each([
  ['localhost:7233', true],
  ['LOCALHOST', true],
  ['127.0.0.1:7233', true],
  ['127.1.2.3:7233', true],
  ['[::1]:7233', true],
  ['http://localhost:7233', true],
  ['http://localhost:7233/', true],
  ['localhost.example.com:7233', false],
  ['temporal:7233', false],
  ['127.0.0.1.example.com:7233', false],
  ['a.tmprl.cloud:7233', false],
])('that %s is this machine: %s', (address, expected) => {
  expect(isThisMachine(address)).toBe(expected);
});
