import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { findProgram } from '../../src/server/find-program.js';
import { answersAsTemporal } from '../../src/server/grpc-probe.js';
import { portAccepts } from '../../src/server/ports.js';
import { resolveSettings } from '../../src/server/settings.js';
import { startTemporaryServer } from '../../src/server/temporary-server.js';
import { crashedParentOfTemporaryServer } from './other-process.js';
import { machineEnv, temporaryFolder } from './server-folders.js';

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

/** A server that crashes at its first start, as Go's programs do: what is wrong, then a long stack. */
async function crashingOnce(panic: string) {
  const folder = await temporaryFolder();
  const [program, hasCrashed] = [join(folder, 'temporal'), join(folder, 'has-crashed')];
  const real = await findProgram({
    env: machineEnv(),
    cacheDir: resolveSettings({}).cacheDir,
    onProgress: () => {},
  });
  const script = [
    '#!/bin/sh',
    `if [ -e '${hasCrashed}' ]; then exec '${real}' "$@"; fi`,
    `touch '${hasCrashed}'`,
    `echo 'panic: ${panic}'`,
    `for line in $(seq 300); do printf '\\t/go/server.go:%s +0x10ac\\n' "$line"; done`,
    'exit 2',
  ];
  await writeFile(program, script.join('\n'), { mode: 0o755 });
  const source = { name: 'ours', find: async () => ({ type: 'found' as const, program }) };
  return {
    start: () => startTemporaryServer({ ui: false, env: machineEnv(), sources: [source] }),
    hasCrashed,
  };
}

test('a port that another has taken meanwhile is another port', { timeout: START_TIMEOUT_MS }, async () => {
  const { start, hasCrashed } = await crashingOnce('listen tcp 127.0.0.1:1: bind: address already in use');
  const server = await start();
  onTestFinished(() => server.stop());
  expect(existsSync(hasCrashed)).toBe(true);
  await expect(answersAsTemporal(server.address)).resolves.toBe(true);
});

test('of a server that crashes at its start it is told why', { timeout: START_TIMEOUT_MS }, async () => {
  const { start } = await crashingOnce('the disk is full');
  await expect(start()).rejects.toThrow('panic: the disk is full');
});

test('the server ends when the process that started it is killed', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const { address } = await crashedParentOfTemporaryServer(machineEnv());
  const port = Number(address.split(':')[1]);

  await vi.waitFor(async () => expect(await portAccepts('127.0.0.1', port)).toBe(false), 10_000);
});
