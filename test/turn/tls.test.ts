import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { AgentClient } from '../../src/client.js';
import { scriptedModel, text } from '../../src/testing/index.js';
import { connectWorker } from '../../src/worker/connect.js';
import { createWorker } from '../../src/worker.js';
import { agentWith } from './agents.js';

// A test authority, and a certificate for localhost that it has signed, valid for a hundred years.
const file = (name: string) => fileURLToPath(new URL(`../support/tls/${name}`, import.meta.url));

afterEach(() => vi.unstubAllEnvs());

/** The tests' Temporal server behind TLS, as Temporal Cloud and most companies have theirs. */
async function startTlsFront(): Promise<{ address: string; close(): void }> {
  const [host = '', port = ''] = (process.env['TEMPORAL_ADDRESS'] ?? '').split(':');
  const options = {
    cert: await readFile(file('localhost.crt')),
    key: await readFile(file('localhost.key')),
    ALPNProtocols: ['h2'],
  };
  const server = createServer(options, (socket) => {
    const behind = connect(Number(port), host);
    socket.pipe(behind).pipe(socket);
    socket.on('error', () => behind.destroy());
    behind.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `localhost:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

test('a turn runs on a server behind TLS, by the variables that every Temporal client has', async () => {
  const front = await startTlsFront();
  vi.stubEnv('TEMPORAL_ADDRESS', front.address);
  vi.stubEnv('TEMPORAL_TLS_SERVER_CA_CERT_PATH', file('authority.crt'));
  const { connection, namespace } = await connectWorker();
  const client = await AgentClient.connect();
  const taskQueue = randomUUID();
  const agents = [agentWith([], { model: scriptedModel([text('Safely here.')]) })];
  try {
    const { worker } = await createWorker({ agents, connection, namespace, taskQueue });
    const outcome = await worker.runUntil(async () => {
      const turn = await client.start('tester', 'Are you there?', { taskQueue });
      return await turn.result();
    });
    expect(outcome).toMatchObject({ type: 'completed', text: 'Safely here.' });
  } finally {
    await client.close();
    await connection.close();
    front.close();
  }
});

test('a worker without TLS does not get through to such a server, and says where it looked', async () => {
  const front = await startTlsFront();
  await expect(connectWorker({ address: front.address })).rejects.toThrow(
    `No Temporal server answers at ${front.address}.`,
  );
  front.close();
});
