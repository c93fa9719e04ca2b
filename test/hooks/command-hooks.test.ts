import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { HookContext, ToolCallDone } from '../../src/define/hooks.js';
import { commandHooks } from '../../src/hooks/command-hooks.js';
import type { ToolResultBlock } from '../../src/shared/messages.js';

type Written = { command: string; timeout?: number };

function settings(event: string, commands: (string | Written)[], matcher?: string) {
  const hooks = commands.map((each) => ({
    type: 'command',
    ...(typeof each === 'string' ? { command: each } : each),
  }));
  return { hooks: { [event]: [{ ...(matcher !== undefined && { matcher }), hooks }] } };
}

function context(signal = new AbortController().signal): HookContext & { notes: string[] } {
  const notes: string[] = [];
  return {
    ...{ agent: 'coder', turnId: 't1', iteration: 2, metadata: { shop: 7 }, attempt: 1, signal, notes },
    idempotencyKey: 't1/2/beforeToolCall/c1/guard',
    note: (text) => notes.push(text),
  };
}

const pushing = { callId: 'c1', name: 'bash', arguments: { command: 'git push' } };

async function before(given: string | object, call = pushing, at = context()) {
  return await commandHooks(given).beforeToolCall?.(call, at);
}

function done(text: string, status: ToolResultBlock['status'] = 'ok'): ToolCallDone {
  const result: ToolResultBlock = { type: 'tool_result', callId: 'c1', name: 'bash', status, content: [] };
  return { ...pushing, result, text };
}

test('exit code 2 blocks, and what was written to stderr is the reason', async () => {
  expect(await before(settings('PreToolUse', ['echo "no pushes" >&2; exit 2']))).toEqual({
    block: 'no pushes',
  });
});

test('exit code 0 lets the call go on; any other does, too, and is noted', async () => {
  const at = context();
  expect(
    await before(settings('PreToolUse', ['echo fine', 'echo odd >&2; exit 1']), pushing, at),
  ).toBeUndefined();
  expect(at.notes).toEqual(['echo odd >&2; exit 1 exited with 1: odd']);
});

test('a command that takes too long or dies has not allowed the call', async () => {
  await expect(before(settings('PreToolUse', [{ command: 'sleep 60', timeout: 0.05 }]))).rejects.toThrow(
    'the command "sleep 60" took longer than 0.05 s',
  );
  await expect(before(settings('PreToolUse', ['kill -KILL $$']))).rejects.toThrow('died of SIGKILL');
});

test('an interrupt ends a command', async () => {
  const stop = new AbortController();
  const running = before(settings('PreToolUse', ['sleep 60']), pushing, context(stop.signal));
  stop.abort(new Error('interrupted'));
  await expect(running).rejects.toThrow('interrupted');
});

test('a command reads the call as JSON, and has no secrets in its environment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-hooks-'));
  vi.stubEnv('SOME_API_KEY', 'secret');
  onTestFinished(() => void vi.unstubAllEnvs());
  const hooks = commandHooks(settings('PreToolUse', ['cat > told.json; env > environment']), {
    cwd: folder,
    env: { GIVEN_TOKEN: 'given' },
  });
  const write = { callId: 'c2', name: 'write_file', arguments: { path: 'a.txt', content: 'x' } };
  expect(await hooks.beforeToolCall?.(write, context())).toBeUndefined();
  expect(JSON.parse(await readFile(join(folder, 'told.json'), 'utf8'))).toEqual({
    ...{ hook_event_name: 'PreToolUse', session_id: 't1', cwd: folder, agent: 'coder', iteration: 2 },
    ...{ metadata: { shop: 7 }, idempotency_key: 't1/2/beforeToolCall/c1/guard' },
    ...{ tool_name: 'Write', tool: 'write_file', tool_use_id: 'c2' },
    tool_input: { path: 'a.txt', file_path: 'a.txt', content: 'x' },
  });
  const environment = await readFile(join(folder, 'environment'), 'utf8');
  expect(environment).not.toContain('SOME_API_KEY');
  expect(environment).toContain('GIVEN_TOKEN=given');
  expect(environment).toContain(`CLAUDE_PROJECT_DIR=${folder}`);
  expect(environment).toContain('HOLDFAST_IDEMPOTENCY_KEY=t1/2/beforeToolCall/c1/guard');
});

function saying(json: object): string {
  return `echo '${JSON.stringify(json)}'`;
}

test('JSON on stdout denies, asks, or changes the arguments, which the next command reads', async () => {
  const specific = (fields: object) =>
    saying({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } });
  const deny = specific({ permissionDecision: 'deny', permissionDecisionReason: 'not today' });
  expect(await before(settings('PreToolUse', [deny]))).toEqual({ block: 'not today' });
  expect(await before(settings('PreToolUse', [saying({ decision: 'block', reason: 'old form' })]))).toEqual({
    block: 'old form',
  });
  const ask = specific({ permissionDecision: 'ask', permissionDecisionReason: 'look at it' });
  expect(await before(settings('PreToolUse', [ask]))).toEqual({ ask: 'look at it' });
  const update = specific({ permissionDecision: 'allow', updatedInput: { command: 'git push --dry-run' } });
  const see = 'grep -q dry-run && exit 0; echo unseen >&2; exit 2';
  expect(await before(settings('PreToolUse', [update, see]))).toEqual({
    arguments: { command: 'git push --dry-run' },
  });
  const broken = context();
  expect(await before(settings('PreToolUse', ['echo "{nope"']), pushing, broken)).toBeUndefined();
  expect(broken.notes[0]).toContain('wrote broken JSON');
});

test('a changed file_path is the path of the call', async () => {
  const updated = saying({ hookSpecificOutput: { updatedInput: { file_path: 'b.txt', content: 'x' } } });
  const write = { callId: 'c2', name: 'write_file', arguments: { path: 'a.txt', content: 'x' } };
  const hooks = commandHooks(settings('PreToolUse', [updated]));
  expect(await hooks.beforeToolCall?.(write, context())).toEqual({
    arguments: { path: 'b.txt', content: 'x' },
  });
});

test.each([
  ['bash', 'bash', true],
  ['Bash', 'bash', true],
  ['Edit|Write', 'write_file', true],
  ['Edit|Write', 'read_file', false],
  ['mcp__docs__.*', 'docs__search', true],
  ['docs__search', 'docs__search', true],
  ['bas', 'bash', false],
  ['^ba', 'bash', true],
  ['*', 'anything', true],
  ['', 'anything', true],
  [undefined, 'anything', true],
])('the matcher %s is about %s: %s', async (matcher, name, isMatch) => {
  const found = await before(settings('PreToolUse', ['exit 2'], matcher), { ...pushing, name });
  expect(found !== undefined).toBe(isMatch);
});

test('after a call a command adds to the result, or replaces it', async () => {
  const after = async (event: string, command: string, result = done('ok')) =>
    await commandHooks(settings(event, [command])).afterToolCall?.(result, context());
  expect(await after('PostToolUse', 'echo "lint failed" >&2; exit 2')).toEqual({
    append: '\n[A hook says: lint failed]',
  });
  expect(await after('PostToolUse', saying({ decision: 'block', reason: 'tests fail' }))).toEqual({
    append: '\n[A hook says: tests fail]',
  });
  expect(await after('PostToolUse', saying({ hookSpecificOutput: { updatedToolOutput: 'hidden' } }))).toEqual(
    {
      result: 'hidden',
    },
  );
  expect(await after('PostToolUse', 'exit 2', done('failed', 'error'))).toBeUndefined();
  expect(await after('PostToolUseFailure', 'cat >&2; exit 2', done('no such file', 'error'))).toMatchObject({
    append: expect.stringContaining('"tool_response":{"status":"error","text":"no such file"}'),
  });
});

test('after the turn a command reads how it ended, and can not make it go on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-hooks-'));
  const hooks = commandHooks(settings('Stop', ['cat > told.json; exit 2']), { cwd: folder });
  const at = context();
  const usage = { inputTokens: 1, outputTokens: 1, modelCalls: 1, failedCalls: 0, unknownCalls: 0 };
  await hooks.afterTurn?.(
    { type: 'completed', text: 'done', iterations: 1, usage, messageCount: 2 } as never,
    at,
  );
  const told: unknown = JSON.parse(await readFile(join(folder, 'told.json'), 'utf8'));
  expect(told).toMatchObject({
    hook_event_name: 'Stop',
    last_assistant_message: 'done',
    stop_hook_active: false,
  });
  expect(at.notes).toEqual(["cat > told.json; exit 2 wants the turn to go on, which a hook can't do here"]);
});

test('a settings file that can not be read as it is meant is refused, with the place', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-hooks-'));
  const file = join(folder, 'settings.json');
  expect(() => commandHooks(file)).toThrow(`${file} can't be read: `);
  await writeFile(file, '{"hooks": ');
  expect(() => commandHooks(file)).toThrow(`${file} is not JSON`);
  await writeFile(file, '{"permissions": {}}');
  expect(() => commandHooks(file)).toThrow('expected an object with the field "hooks"');
  const refused = (hook: object, matcher = '') => {
    const given = { hooks: { PreToolUse: [{ matcher, hooks: [hook] }] } };
    return () => commandHooks(given);
  };
  expect(refused({ type: 'prompt', prompt: 'x' })).toThrow('hooks.PreToolUse[0].hooks[0]: only hooks with');
  expect(refused({ type: 'command' })).toThrow('hooks[0].command: expected a shell command');
  expect(refused({ type: 'command', command: 'x', timeout: '1' })).toThrow('.timeout: expected a number');
  expect(refused({ type: 'command', command: 'x', if: 'Bash(git *)' })).toThrow(
    '.if: this is not known here',
  );
  expect(refused({ type: 'command', command: 'x' }, '(')).toThrow('.matcher: ');
});

test('only the points that a file speaks of have a hook', () => {
  const hooks = commandHooks(settings('PreToolUse', ['true']));
  expect(Object.keys(hooks)).toEqual(['name', 'timeout', 'beforeToolCall']);
});

test('the settings of docs/hooks.md are some that work', async () => {
  const [, json = ''] = /```json\n(.*?)```/s.exec(await readFile('docs/hooks.md', 'utf8')) ?? [];
  const hooks = commandHooks(JSON.parse(json));
  expect(await hooks.beforeToolCall?.(pushing, context())).toEqual({ block: 'no pushes on Fridays' });
  const pulling = { ...pushing, arguments: { command: 'git pull' } };
  expect(await hooks.beforeToolCall?.(pulling, context())).toBeUndefined();
});
