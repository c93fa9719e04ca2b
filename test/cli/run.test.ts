import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { attempts, fault, reply, text, toolCall } from '../../src/testing/index.js';
import { long } from '../support/long.js';
import { run, workspace } from './scripted-run.js';

/** Of a command that writes its own there. */
async function pidIn(file: string): Promise<number> {
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await setTimeout(20);
  return Number(readFileSync(file, 'utf8'));
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

// O19
test.runIf(long)('a wait that the provider asked for is shown, with its length and its end', async () => {
  const limited = fault({ status: 429, retryAfter: 3 });
  const { finished } = await run([attempts(limited, text('Here I am.'))], ['hello']);
  const { stdout } = await finished;
  expect(stdout).toMatch(
    /try 1 failed \(Model\.RateLimited\), trying again in [\d.]+ m?s \(at \d\d:\d\d:\d\d\): .*429/,
  );
  expect(stdout).toContain('Here I am.');
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
  expect(lines.at(-1)).toMatchObject({ v: 1, type: 'outcome', outcome: { type: 'completed', text: 'hi' } });
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

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s interrupts the turn and ends what it ran',
  async (signal) => {
    const folder = workspace();
    const command = 'echo $$ > pid; exec sleep 600';
    const running = await run([toolCall('bash', { command })], ['wait'], folder);
    await running.printed('→ bash');
    const pid = await pidIn(join(folder, 'pid'));
    running.process.kill(signal);
    const { exitCode, stdout } = await running.finished;
    expect(exitCode).toBe(130);
    expect(stdout).toContain('interrupted');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  },
);

test('a reader that goes away interrupts the turn without a stack', async () => {
  const folder = workspace();
  const command = 'echo $$ > pid; while sleep 0.2; do echo on; done';
  const running = await run([toolCall('bash', { command })], ['wait'], folder);
  await running.printed('→ bash');
  const pid = await pidIn(join(folder, 'pid'));
  running.process.stdout?.destroy();
  const { exitCode, stderr } = await running.finished;
  expect(exitCode).toBe(130);
  expect(stderr).not.toContain('    at ');
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test("the agent is told what the folder's AGENTS.md says, unless it is not to be", async () => {
  const folder = workspace();
  writeFileSync(join(folder, 'AGENTS.md'), 'Indent with tabs.\n');
  const told = async (...args: string[]) => {
    const { finished, served } = await run([text('ok')], [...args, 'hello'], folder);
    expect((await finished).exitCode).toBe(0);
    return JSON.stringify(served.requests[0]?.body);
  };
  expect(await told()).toContain('Indent with tabs.');
  expect(await told('--no-agents-file')).not.toContain('Indent with tabs.');
});

test('the commands of a settings file run around the calls, in the folder, and what they did is shown', async () => {
  const folder = workspace();
  const hooks = [{ type: 'command', command: 'pwd > seen; echo "not here" >&2; exit 2' }];
  const settings = join(folder, 'settings.json');
  writeFileSync(settings, JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks }] } }));
  const script = [toolCall('bash', { command: 'touch done' }), text('I may not.')];
  const { finished } = await run(script, ['--hooks', settings, 'do it'], folder);
  const { stdout } = await finished;
  expect(stdout).toContain('hook settings.json blocked the call: not here');
  expect(existsSync(join(folder, 'done'))).toBe(false);
  expect(readFileSync(join(folder, 'seen'), 'utf8')).toContain('holdfast-cli-');
  writeFileSync(settings, '{}');
  const refused = await (await run(script, ['--hooks', settings, 'do it'], folder)).finished;
  expect(refused).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('expected an object with the field'),
  });
});
