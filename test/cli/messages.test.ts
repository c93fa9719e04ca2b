import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testPlace } from '../../src/testing/index.js';
import { long } from '../support/long.js';
import { holdfast, start } from '../support/run-cli.js';

// What people see when something is not as it should be. No key and a name that runs already are in starting.test.ts, a
// wrong key in run.test.ts, an unknown agent and a queue without a worker in turn-commands.test.ts.

/** A place without a Temporal server, whose port is given to nobody. */
async function nowhere(): Promise<{ env: NodeJS.ProcessEnv; port: number; close: () => void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const state = mkdtempSync(join(tmpdir(), 'holdfast-nowhere-'));
  const env = { TEMPORAL_ADDRESS: '', HOLDFAST_PORT: String(port), HOLDFAST_STATE_DIR: state };
  return { env, port, close: () => server.close() };
}

async function said(args: string[], env: NodeJS.ProcessEnv = {}) {
  const { exitCode, stdout, stderr } = await holdfast(args, env).finished;
  expect(stderr).not.toContain('    at ');
  return { exitCode, text: stdout + stderr };
}

function file(name: string, content: string | Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'holdfast-file-')), name);
  writeFileSync(path, content);
  return path;
}

test('no server: commands that look at turns start none, and say how to', async () => {
  const { env, port, close } = await nowhere();
  close();
  const commands = [['ps'], ['show', 'a-turn'], ['interrupt', 'a-turn']];
  for (const { exitCode, text } of await Promise.all(commands.map((args) => said(args, env)))) {
    expect(exitCode).toBe(1);
    expect(text).toContain(`No Temporal server answers on this machine (port ${port}).`);
    expect(text).toContain('holdfast server start');
    expect(text).toContain('TEMPORAL_ADDRESS=host:port');
  }
});

test.runIf(long)('no server at TEMPORAL_ADDRESS: the address is named', async () => {
  const env = { TEMPORAL_ADDRESS: '127.0.0.1:9' };
  for (const { exitCode, text } of await Promise.all([said(['ps'], env), said(['server', 'start'], env)])) {
    expect(exitCode).toBe(1);
    expect(text).toContain('No Temporal server answers at 127.0.0.1:9');
    expect(text).toContain('correct the address');
  }
});

test('a namespace that the server has not is named', async () => {
  const model = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_MODEL: 'm' };
  const commands = [['ps'], ['worker', file('agent.mjs', '')], ['run', 'hello']];
  const env = { TEMPORAL_NAMESPACE: 'nowhere', ...model };
  for (const { exitCode, text } of await Promise.all(commands.map((args) => said(args, env)))) {
    expect(exitCode).toBe(2);
    expect(text).toContain('no namespace "nowhere"');
    expect(text).toContain('temporal operator namespace create');
  }
});

test('a key that asks a server without TLS for TLS is named', async () => {
  const { exitCode, text } = await said(['ps'], { TEMPORAL_API_KEY: 'of-another-server' });
  expect(exitCode).toBe(1);
  expect(text).toContain('TEMPORAL_API_KEY is set, so it is asked for TLS: unset that for a server without.');
  expect(text).not.toContain('of-another-server');
});

test('a reader that leaves gets no stack', async () => {
  const running = holdfast(['ps', '--all']);
  running.process.stdout?.destroy();
  expect((await running.finished).stderr).not.toMatch(/EPIPE| {4}at /);
});

test('what nobody foresaw is told with its stack', async () => {
  const module = new URL('../../dist/cli/report-error.js', import.meta.url).href;
  const program = `import { reportError } from '${module}'; reportError(new TypeError('a bug'));`;
  const { stderr } = await start(file('bug.mjs', program), []).finished;
  expect(stderr).toMatch(/^Error: a bug\nTypeError: a bug\n {4}at /);
});

test('a worker whose module never comes to be loaded ends when it is told to', async () => {
  const endless = file(
    'endless.mjs',
    "console.log('loading'); await new Promise(() => setInterval(() => {}, 1000));",
  );
  const worker = holdfast(['worker', endless]);
  await worker.printed('loading');
  worker.process.kill('SIGTERM');
  expect((await worker.finished).exitCode).toBe(0);
});

test("a worker tells of a failed turn in a line, without the workflow's stack", async () => {
  const { client } = await testPlace();
  const taskQueue = `log-${randomUUID()}`;
  const module = (name: string) => new URL(`../../dist/${name}.js`, import.meta.url).href;
  const program = `
    import { defineAgent } from '${module('index')}';
    import { fault, scriptedModel } from '${module('testing/index')}';
    const model = scriptedModel([fault({ status: 401 })]);
    export const agent = defineAgent({ name: 'locked', instructions: 'Work.', model });`;
  const worker = holdfast(['worker', file('agent.mjs', program), '--task-queue', taskQueue]);
  await worker.printed('Serving');
  const turn = await client.start('locked', 'hello', { taskQueue });
  await turn.result().catch(() => undefined);
  await worker.printed(`Workflow failed (turn ${turn.turnId}): `);
  worker.process.kill('SIGTERM');
  expect((await worker.finished).stderr).not.toContain('    at ');
});

test('port taken: each command that needs a server says whose it is and what to set', async () => {
  const { env, port, close } = await nowhere();
  onTestFinished(close);
  const agent = file('agent.mjs', 'export const nothing = 1;');
  const commands = [
    ['server', 'start'],
    ['worker', agent],
  ];
  for (const { exitCode, text } of await Promise.all(commands.map((args) => said(args, env)))) {
    expect(exitCode).toBe(1);
    expect(text).toContain(`Port ${port}, which Temporal needs, is taken`);
    expect(text).toContain('HOLDFAST_PORT');
  }
});

test('prompt too large: what takes the room, and where to put it', async () => {
  const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_MODEL: 'm' };
  const attached = await said(['run', '--attach', file('big.txt', 'x'.repeat(1_100_000)), 'hello'], env);
  expect(attached.exitCode).toBe(2);
  expect(attached.text).toMatch(/takes 1100000 bytes; .* may take 1000000\. Put it into the workspace/);
  // Its JSON is six times as long, so that it passes the first bound.
  const escaped = await said(['run', '--attach', file('big.txt', '\u0001'.repeat(400_000)), 'hello'], env);
  expect(escaped.exitCode).toBe(1);
  expect(escaped.text).toMatch(
    /takes \d+ bytes; a turn's input may take 1500000\. Make the attachments smaller/,
  );
});

test('a module that is no agent: the file is named, and what it should export', async () => {
  const noAgent = await said(['worker', file('agent.mjs', 'export const nothing = 1;')]);
  expect(noAgent.exitCode).toBe(1);
  expect(noAgent.text).toContain('agent.mjs exports no agent. Export what defineAgent(...) returns');
  const folder = await said(['worker', tmpdir()]);
  expect(folder).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining('is a folder. Give the module'),
  });
  const foreign = await said(['worker', file('agent.py', '')]);
  expect(foreign.text).toMatch(/agent\.py can't be loaded\..*\n.*compile it \(npx tsc\)/);
  const ends = await said(['worker', file('ends.mjs', 'process.exit(0);')]);
  expect(ends.exitCode).toBe(1);
  expect(ends.text).toMatch(/ends\.mjs ended its process when it was loaded \(exit code 0\)/);
  const broken = await said(['worker', file('broken.mjs', 'export const = 1;')]);
  expect(broken.exitCode).toBe(1);
  expect(broken.text).toMatch(/broken\.mjs can't be loaded\. SyntaxError: /);
});
