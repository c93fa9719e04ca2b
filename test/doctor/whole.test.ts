import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { isAtLeast, versionMismatches } from '../../src/cli/doctor/packages.js';
import { freePorts } from '../../src/server/ports.js';
import { startTemporaryServer, type TemporaryServer } from '../../src/server/temporary-server.js';
import { fault, type Script, serveScriptedModel, text } from '../../src/testing/index.js';
import { holdfast } from '../support/run-cli.js';

type Report = { ok: boolean; checks: { check: string; status: string; says: string; advice?: string }[] };

let server: TemporaryServer;
beforeAll(async () => {
  server = await startTemporaryServer();
});
afterAll(async () => {
  await server.stop();
});

async function reportWith(env: NodeJS.ProcessEnv, ...args: string[]) {
  const { exitCode, stdout } = await holdfast(['doctor', '--json', ...args], env).finished;
  const report = JSON.parse(stdout) as Report;
  expect(exitCode).toBe(report.ok ? 0 : 1);
  return (name: string) => report.checks.find(({ check }) => check === name);
}

async function model(script: Script = [text('never asked')]) {
  const served = await serveScriptedModel(script, { model: 'qwen3' });
  onTestFinished(() => served.close());
  return { served, env: { OPENAI_BASE_URL: served.url, OPENAI_MODEL: 'qwen3' } };
}

test('where all is there, each thing has a line, the verdict says so, and no model was asked', async () => {
  const { served, env } = await model();
  const temporal = { TEMPORAL_ADDRESS: server.address, TEMPORAL_UI_URL: server.uiUrl ?? '' };
  const { exitCode, stdout } = await holdfast(['doctor'], { ...env, ...temporal }).finished;
  expect(stdout).toMatch(/^✓ node +Node \d/m);
  expect(stdout).toMatch(/^✓ packages +holdfast \d/m);
  expect(stdout).toMatch(new RegExp(`^✓ server +Temporal [\\d.]+ answers at ${server.address}`, 'm'));
  expect(stdout).toMatch(/^✓ namespace +"default", which keeps ended turns for 1 day/m);
  expect(stdout).toMatch(/^✓ web ui +http/m);
  expect(stdout).toMatch(/^– workers .*\n +→ holdfast worker <module>/m);
  expect(stdout).toMatch(/^✓ model +"qwen3" at .* answers/m);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('All that agents need is there, or comes by itself.');
  expect(exitCode).toBe(0);
  expect(served.requests).toHaveLength(0);
});

test('a server that is not there, and a namespace that it has not, are failures with what to do', async () => {
  const [port] = await freePorts(1);
  const [absent, nameless] = await Promise.all([
    reportWith({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` }),
    reportWith({ TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: 'nowhere' }),
  ]);
  expect(absent('server')).toMatchObject({
    status: 'failed',
    advice: expect.stringContaining('correct the address'),
  });
  expect(absent('namespace')).toMatchObject({ status: 'none', says: 'not tried' });
  expect(nameless('namespace')).toMatchObject({
    status: 'failed',
    advice: expect.stringContaining('temporal operator namespace create --namespace nowhere'),
  });
});

test('without a server its ports are looked at: free ones are well, taken ones are named', async () => {
  const [port = 0, uiPort = 0] = await freePorts(2);
  const taken = server.uiUrl?.split(':').at(-1) ?? '';
  const HOLDFAST_STATE_DIR = mkdtempSync(join(tmpdir(), 'holdfast-doctor-'));
  const env = { TEMPORAL_ADDRESS: '', HOLDFAST_STATE_DIR, HOLDFAST_PORT: `${port}` };
  const [free, blocked] = await Promise.all([
    reportWith({ ...env, HOLDFAST_UI_PORT: `${uiPort}` }),
    reportWith({ ...env, HOLDFAST_UI_PORT: taken }),
  ]);
  expect(free('server')).toMatchObject({
    status: 'none',
    says: expect.stringContaining(`the ports ${port} and ${uiPort} are free`),
    advice: expect.stringContaining('holdfast server start'),
  });
  expect(blocked('server')).toMatchObject({
    status: 'failed',
    says: expect.stringContaining(`Port ${taken}, which Temporal's Web UI needs, is taken`),
    advice: expect.stringContaining('HOLDFAST_UI_PORT'),
  });
});

test('no key, a refused key, keys that are none, and a program that is none are named', async () => {
  const refusing = await model([fault({ status: 401 })]);
  const base = { TEMPORAL_ADDRESS: server.address };
  const [none, refused] = await Promise.all([
    reportWith({ ...base, HOLDFAST_ENCRYPTION_KEYS: 'x', HOLDFAST_TEMPORAL_CLI: process.execPath }),
    reportWith({
      ...base,
      OPENAI_BASE_URL: `${refusing.served.url}/nothing`,
      OPENAI_API_KEY: 'sk-secret-secret',
    }),
  ]);
  expect(none('model')).toMatchObject({ status: 'failed', says: expect.stringContaining('OPENAI_API_KEY') });
  expect(none('encryption')).toMatchObject({
    status: 'failed',
    says: expect.stringContaining('entry 1 has no id'),
  });
  expect(none('program')).toMatchObject({
    status: 'failed',
    says: expect.stringContaining('HOLDFAST_TEMPORAL_CLI'),
  });
  expect(none('server')).toMatchObject({ status: 'ok' });
  expect(refused('model')?.status).toBe('failed');
});

test('packages of a project that do not match ours are named, with both versions', () => {
  const project = mkdtempSync(join(tmpdir(), 'holdfast-project-'));
  expect(versionMismatches(project)).toEqual([]);
  const folder = join(project, 'node_modules', '@temporalio', 'client');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"version":"1.11.0"}');
  expect(versionMismatches(join(project, 'src'))).toEqual([
    expect.stringMatching(/^@temporalio\/client is 1\.11\.0 in your project and \d.* in holdfast$/),
  ]);
});

test('versions are compared number by number', () => {
  expect([isAtLeast('20.19.0', '20.19'), isAtLeast('20.9.1', '20.19'), isAtLeast('22.0.0', '20.19')]).toEqual(
    [true, false, true],
  );
});
