import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import {
  attempts,
  fault,
  reply,
  type Script,
  type ServedModel,
  serveScriptedModel,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { long } from '../support/long.js';
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

test("the agent is told what the folder's AGENTS.md says, unless it is not to be", async () => {
  const folder = workspace();
  writeFileSync(join(folder, 'AGENTS.md'), 'Indent with tabs.\n');
  const told = async (...args: string[]) => {
    const { finished } = await run([text('ok')], [...args, 'hello'], folder);
    expect((await finished).exitCode).toBe(0);
    return JSON.stringify(open.at(-1)?.requests[0]?.body);
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
