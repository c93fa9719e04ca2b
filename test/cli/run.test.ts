import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  fault,
  reply,
  type Script,
  type ServedModel,
  serveScriptedModel,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { holdfast, type RunningProcess } from '../support/run-cli.js';

const open: ServedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((served) => served.close()));
});

async function run(script: Script, args: string[], folder = workspace()): Promise<RunningProcess> {
  const served = await serveScriptedModel(script);
  open.push(served);
  const env = { OPENAI_BASE_URL: served.url, OPENAI_MODEL: 'scripted' };
  return holdfast(['run', '--workspace', folder, ...args], env);
}

function workspace(): string {
  return mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
}

test('a turn streams its text and its calls, and ends with what it cost', async () => {
  const folder = workspace();
  writeFileSync(join(folder, 'notes.txt'), 'the sea\n');
  const { finished } = await run(
    [toolCall('read_file', { path: 'notes.txt' }), text('It is about the sea.')],
    ['what is it?'],
    folder,
  );
  const { exitCode, stdout } = await finished;
  expect(exitCode).toBe(0);
  expect(stdout).toContain('→ read_file notes.txt');
  expect(stdout).toContain('✓ read_file notes.txt');
  expect(stdout).toContain('It is about the sea.');
  expect(stdout).toMatch(/completed · 2 model calls · \d+ tokens in, \d+ out · /);
});

test('without a terminal nothing is coloured', async () => {
  const { finished } = await run([text('plain')], ['hello']);
  expect((await finished).stdout).not.toContain('\u001b');
});

test('the agent changes files of the workspace', async () => {
  const folder = workspace();
  const script = [toolCall('write_file', { path: 'a.txt', content: 'written\n' }), text('done')];
  const { finished } = await run(script, ['write it'], folder);
  expect((await finished).exitCode).toBe(0);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('written\n');
});

test('with --json each line is an event, and the last one the outcome', async () => {
  const { finished } = await run([text('hi')], ['--json', 'hello']);
  const lines = (await finished).stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map((line) => line.type)).toEqual(
    expect.arrayContaining(['turn_started', 'message', 'turn_ended']),
  );
  expect(lines.at(-1)).toMatchObject({ type: 'outcome', outcome: { type: 'completed', text: 'hi' } });
});

test('the iteration limit has an exit code of its own', async () => {
  const { finished } = await run([toolCall('bash', { command: 'true' })], ['--iterations', '1', 'loop']);
  expect((await finished).exitCode).toBe(3);
});

test('a refusal has an exit code of its own', async () => {
  const { finished } = await run([reply(text('no'), { finish: 'content_filter' })], ['do it']);
  expect((await finished).exitCode).toBe(4);
});

test('a wrong key fails at once, and the message says what to check', async () => {
  const { finished } = await run([fault({ status: 401 })], ['hello']);
  const { exitCode, stdout } = await finished;
  expect(exitCode).toBe(1);
  expect(stdout).toContain('Model.Authentication');
  expect(stdout).toContain('OPENAI_API_KEY');
});

test('Ctrl-C interrupts the turn', async () => {
  const running = await run([toolCall('bash', { command: 'sleep 600' })], ['wait']);
  await running.printed('→ bash sleep 600');
  running.process.kill('SIGINT');
  const { exitCode, stdout } = await running.finished;
  expect(exitCode).toBe(130);
  expect(stdout).toContain('interrupted');
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

test('help exits with 0 and shows examples', async () => {
  const { exitCode, stdout } = await holdfast(['run', '--help']).finished;
  expect(exitCode).toBe(0);
  expect(stdout).toContain('Examples:');
});
