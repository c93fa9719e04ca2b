import { Client, Connection } from '@temporalio/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { answersAsTemporal } from '../../src/server/grpc-probe.js';
import { portAccepts } from '../../src/server/ports.js';
import { startTemporaryServer } from '../../src/server/temporary-server.js';
import { crashedParentOfTemporaryServer } from './other-process.js';
import { machineEnv } from './server-folders.js';

const START_TIMEOUT_MS = 300_000;

test('a workflow outlives a crash of the server', { timeout: START_TIMEOUT_MS }, async () => {
  const server = await startTemporaryServer({ ui: false, env: machineEnv() });
  onTestFinished(() => server.stop());
  const { address, pid } = server;
  const connection = await Connection.connect({ address });
  onTestFinished(() => connection.close());
  const { workflow } = new Client({ connection });
  const handle = await workflow.start('nobodyRunsIt', { workflowId: 'before', taskQueue: 'none' });

  server.kill();
  await server.restart();

  expect(server.address).toBe(address);
  expect(server.pid).not.toBe(pid);
  await vi.waitFor(async () => expect((await handle.describe()).status.name).toBe('RUNNING'), 10_000);
});

test('a stopped server no longer answers', { timeout: START_TIMEOUT_MS }, async () => {
  const server = await startTemporaryServer({ ui: false, env: machineEnv() });
  const port = Number(server.address.split(':')[1]);
  await expect(answersAsTemporal(server.address, { namespace: server.namespace })).resolves.toBe(true);

  await server.stop();

  await expect(portAccepts('127.0.0.1', port)).resolves.toBe(false);
});

test('servers of several tests run beside each other', { timeout: START_TIMEOUT_MS }, async () => {
  const servers = await Promise.all([1, 2].map(() => startTemporaryServer({ ui: false, env: machineEnv() })));
  onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.stop()));
  });

  expect(new Set(servers.map(({ address }) => address)).size).toBe(2);
});

test('the server ends when the process that started it is killed', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const { address } = await crashedParentOfTemporaryServer(machineEnv());
  const port = Number(address.split(':')[1]);

  await vi.waitFor(async () => expect(await portAccepts('127.0.0.1', port)).toBe(false), 10_000);
});
