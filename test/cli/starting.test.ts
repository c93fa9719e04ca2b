import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { text, toolCall } from '../../src/testing/index.js';
import { long } from '../support/long.js';
import { holdfast } from '../support/run-cli.js';
import { run, workspace } from './scripted-run.js';

// How `holdfast run` starts a turn, attaches to one that was started before, or says why it can't.

test('the turn is named first, and its id attaches to it again', async () => {
  const folder = workspace();
  const turnId = `cli-${randomUUID()}`;
  const args = ['--turn-id', turnId, 'hello'];
  const first = await (await run([text('hi')], args, folder)).finished;
  const again = await (await run([], args, folder)).finished;
  expect(first.stderr).toContain(`turn ${turnId}`);
  expect(first.stdout).toContain('completed · 1 model call ·');
  expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('hi') });
});

test("a turn's id with another prompt is a conflict", async () => {
  const turnId = `cli-${randomUUID()}`;
  await (await run([text('hi')], ['--turn-id', turnId, 'hello'])).finished;
  const { exitCode, stderr } = await (await run([], ['--turn-id', turnId, 'good bye'])).finished;
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`Turn ${turnId} was started before with another prompt`);
  expect(stderr).not.toContain('    at ');
});

test.runIf(long)('a running turn of another folder is refused', async () => {
  const args = ['--turn-id', `cli-${randomUUID()}`, 'wait'];
  const running = await run([toolCall('bash', { command: 'sleep 600' })], args);
  await running.printed('→ bash sleep 600');
  const { exitCode, stderr } = await (await run([], args)).finished;
  expect(exitCode).toBe(2);
  expect(stderr).toContain('belongs to another folder');
  running.process.kill('SIGINT');
  expect((await running.finished).exitCode).toBe(130);
});

test('what no turn can start with is wrong usage', async () => {
  const file = join(workspace(), 'a.txt');
  writeFileSync(file, '');
  const badId = await (await run([], ['--turn-id', 'a b', 'hello'])).finished;
  const badFolder = await (await run([], ['hello'], file)).finished;
  const noPrompt = await (await run([], ['  '])).finished;
  expect(badId).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('"a b"') });
  expect(badFolder).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('a.txt is a file') });
  expect(noPrompt).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('prompt is empty') });
});

test('a server that does not answer is named', async () => {
  const env = {
    OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    OPENAI_MODEL: 'm',
    TEMPORAL_ADDRESS: '127.0.0.1:9',
  };
  const { exitCode, stderr } = await holdfast(['run', 'hello'], env).finished;
  expect(exitCode).toBe(1);
  expect(stderr).toContain('No Temporal server answers at 127.0.0.1:9 (connection refused)');
  expect(stderr).not.toContain('    at ');
});

test('without a key it says what to set', async () => {
  const { exitCode, stderr } = await holdfast(['run', 'hello']).finished;
  expect(exitCode).toBe(2);
  expect(stderr).toContain('OPENAI_API_KEY');
  expect(stderr).toContain('OPENAI_BASE_URL');
});

test('a folder that is not there is named', async () => {
  const { exitCode, stderr } = await holdfast(['run', '--workspace', '/no/such/folder', 'hello']).finished;
  expect(exitCode).toBe(2);
  expect(stderr).toContain('/no/such/folder');
});

test('wrong usage exits with 2', async () => {
  expect((await holdfast(['run', '--iterations', 'many', 'hello']).finished).exitCode).toBe(2);
  expect((await holdfast(['fly']).finished).exitCode).toBe(2);
});

test('it tells its version', async () => {
  const { exitCode, stdout } = await holdfast(['--version']).finished;
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('help exits with 0 and shows examples', async () => {
  const { exitCode, stdout } = await holdfast(['run', '--help']).finished;
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Examples:');
});

test('a run that was killed goes on where it was, when it is started again under its id', async () => {
  const folder = workspace();
  const script = [
    toolCall('bash', { command: 'echo once >> runs.txt; sleep 600' }),
    text('I know what happened.'),
  ];
  const args = ['--turn-id', `killed-${randomUUID()}`, 'wait'];
  const first = await run(script, args, folder);
  await first.printed('→ bash');
  await vi.waitFor(() => expect(readFileSync(join(folder, 'runs.txt'), 'utf8')).toBe('once\n'), 10_000);
  first.process.kill('SIGKILL');
  await first.finished;
  const { exitCode, stdout } = await (await run(script, args, folder)).finished;
  expect(exitCode).toBe(0);
  expect(stdout).toContain('unknown');
  expect(stdout).toContain('I know what happened.');
  expect(readFileSync(join(folder, 'runs.txt'), 'utf8')).toBe('once\n');
});
