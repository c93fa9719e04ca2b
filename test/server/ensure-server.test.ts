import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { ensureServer, serverStatus, stopServer } from '../../src/server/embedded.js';
import { answersAsTemporal, answersAsWebUi } from '../../src/server/grpc-probe.js';
import { startTemporaryServer } from '../../src/server/temporary-server.js';
import { ensureServerInProcess, killWhileItStartsAServer } from './other-process.js';
import { machineEnv, ownServer } from './server-folders.js';

const START_TIMEOUT_MS = 300_000;

async function listenOn(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port }, resolve));
  onTestFinished(() => {
    server.close();
  });
}

async function startWorkflow(address: string, workflowId: string): Promise<void> {
  await onServer(address, (client) =>
    client.workflow.start('nobodyRunsIt', { workflowId, taskQueue: 'none' }),
  );
}

async function workflowStatus(address: string, workflowId: string): Promise<string> {
  const description = await onServer(address, (client) => client.workflow.getHandle(workflowId).describe());
  return description.status.name;
}

async function onServer<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

test('TEMPORAL_ADDRESS is used as it is, with its namespace and Web UI', async () => {
  const env = {
    TEMPORAL_ADDRESS: 'temporal.example:7233',
    TEMPORAL_NAMESPACE: 'agents',
    TEMPORAL_UI_URL: 'https://ui.example',
  };

  await expect(ensureServer({ env })).resolves.toEqual({
    address: 'temporal.example:7233',
    namespace: 'agents',
    uiUrl: 'https://ui.example',
    source: 'TEMPORAL_ADDRESS',
  });
});

test('a Temporal server that somebody else runs is used', { timeout: START_TIMEOUT_MS }, async () => {
  const other = await startTemporaryServer({ env: machineEnv() });
  onTestFinished(() => other.stop());
  const { dataDir, env } = await ownServer();
  const port = Number(other.address.split(':')[1]);
  const uiPort = Number(other.uiUrl?.split(':')[2]);

  const server = await ensureServer({ port, uiPort, dataDir, env });

  expect(server).toEqual({
    address: other.address,
    namespace: 'default',
    uiUrl: `http://localhost:${uiPort}`,
    source: 'running',
  });
});

test('a port that another program holds is named, with what to do', async () => {
  const own = await ownServer();
  await listenOn(own.port);

  const ensuring = ensureServer(own);

  await expect(ensuring).rejects.toMatchObject({ type: 'Server.PortTaken' });
  await expect(ensuring).rejects.toThrow(new RegExp(`Port ${own.port}.*HOLDFAST_PORT`));
});

test('a Web UI port that another program holds is named, with what to do', async () => {
  const own = await ownServer();
  await listenOn(own.uiPort);

  const ensuring = ensureServer(own);

  await expect(ensuring).rejects.toMatchObject({ type: 'Server.PortTaken' });
  await expect(ensuring).rejects.toThrow(new RegExp(`Port ${own.uiPort}.*HOLDFAST_UI_PORT`));
});

test('processes that ask at once get one server, which outlives them', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const own = await ownServer();

  const servers = await Promise.all([1, 2, 3].map(() => ensureServerInProcess(own)));

  expect(servers.map(({ source }) => source).toSorted()).toEqual(['running', 'running', 'started']);
  expect(new Set(servers.map(({ pid }) => pid)).size).toBe(1);
  await expect(answersAsTemporal(`127.0.0.1:${own.port}`)).resolves.toBe(true);
  await expect(answersAsWebUi(`http://localhost:${own.uiPort}`)).resolves.toBe(true);
});

test('turns outlive a stop and a start', { timeout: START_TIMEOUT_MS }, async () => {
  const own = await ownServer();
  const { address, pid } = await ensureServer(own);
  await startWorkflow(address, 'before');

  await expect(stopServer(own)).resolves.toEqual({ stoppedPid: pid });
  await expect(serverStatus(own)).resolves.toMatchObject({ state: 'stopped' });
  const again = await ensureServer(own);

  expect(again).toMatchObject({ address, source: 'started' });
  await expect(workflowStatus(address, 'before')).resolves.toBe('RUNNING');
});

test('without a port asked for, our server at another port is used', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const own = await ownServer();
  const started = await ensureServer(own);

  const found = await ensureServer({ dataDir: own.dataDir, env: own.env, sources: [] });

  // A machine may have a server on Temporal's default port, which then comes first.
  if (found.address.endsWith(':7233')) return;
  expect(found).toEqual({ ...started, source: 'running' });
});

test('data that our server uses at another port are not opened twice', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const own = await ownServer();
  const other = await ownServer();
  await ensureServer(own);

  const ensuring = ensureServer({ ...other, dataDir: own.dataDir });

  await expect(ensuring).rejects.toMatchObject({ type: 'Server.DataInUse' });
});

test('stopServer ends only the process that we started', { timeout: START_TIMEOUT_MS }, async () => {
  const other = await startTemporaryServer({ ui: false, env: machineEnv() });
  onTestFinished(() => other.stop());
  const own = await ownServer();
  await ensureServer(own);
  await stopServer(own);
  // The record of a server that is gone, whose process id now belongs to another server.
  const startedAt = new Date().toISOString();
  const record = {
    pid: other.pid,
    address: other.address,
    uiUrl: 'http://localhost',
    startedAt,
    program: 'temporal',
  };
  await writeFile(join(own.dataDir, 'server.json'), JSON.stringify(record));

  await expect(stopServer(own)).resolves.toEqual({ stoppedPid: undefined });

  await expect(answersAsTemporal(other.address)).resolves.toBe(true);
});

test('a server that dies at its start is reported with the end of its log', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const own = await ownServer();
  await writeFile(
    join(own.dataDir, 'temporal.db'),
    'this is no SQLite file, but long enough to be read as one'.repeat(99),
  );

  const ensuring = ensureServer(own);

  await expect(ensuring).rejects.toMatchObject({ type: 'Server.FailedToStart' });
  await expect(ensuring).rejects.toThrow(/which ends with:\n {2}\| .*file is not a database/s);
});

test('a server whose starter was killed during the start is used', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const own = await ownServer();
  await killWhileItStartsAServer(own);

  const server = await ensureServer({ ...own, sources: [] });

  expect(server).toMatchObject({ source: 'running', pid: expect.any(Number) });
});

test('a lock left by a process that was killed does not keep a server from starting', {
  timeout: START_TIMEOUT_MS,
}, async () => {
  const own = await ownServer();
  const endedPid = 4_194_305;
  await writeFile(join(own.dataDir, 'start.lock'), String(endedPid));

  const server = await ensureServer(own);

  expect(server.source).toBe('started');
  await expect(readFile(join(own.dataDir, 'start.lock'))).rejects.toThrow('ENOENT');
});
