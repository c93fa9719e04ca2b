import { expect, test } from 'vitest';
import { OwnCompactions } from '../../src/cli/chat/own-compactions.js';
import { howToGoOn } from '../../src/cli/go-on.js';
import { decisionIn } from '../../src/cli/people/ask-in-terminal.js';
import type { RunOptions } from '../../src/cli/run-command.js';

test.each([
  ['y', { kind: 'approve', always: false }],
  [' YES. ', { kind: 'approve', always: false }],
  ['a', { kind: 'approve', always: true }],
  ['n', { kind: 'deny' }],
  ['n not now', { kind: 'deny', reason: 'not now' }],
  ['No, the other\nfile', { kind: 'deny', reason: 'the other\nfile' }],
  ['e', { kind: 'edit' }],
  ['yes but only once', { kind: 'none' }],
  ['no-op', { kind: 'none' }],
  ['note that it is late', { kind: 'none' }],
  ['', { kind: 'none' }],
])('%j at an approval', (typed, decision) => {
  expect(decisionIn(typed, true)).toEqual(decision);
});

test('an always that the call has not is no answer', () => {
  expect(decisionIn('a', false)).toEqual({ kind: 'none' });
});

test('the command that goes on keeps what guards the turn, save the limit that has ended it', () => {
  const options: RunOptions = {
    ...{ workspace: 'my shop', model: 'm', mode: 'plan', hooks: "it's.json", agentsFile: false },
    ...{ iterations: 3, tokens: 10, cost: 2, time: '10 minutes' },
  };
  const said = howToGoOn('t', options, {
    type: 'budget_exceeded',
    exceeded: { limit: 'tokens', allowed: 10, spent: 11 },
  });
  expect(said).toBe(
    "To go on where it stopped, without --tokens or with another one: holdfast run --no-agents-file --workspace 'my shop' " +
      "--model m --mode plan --hooks 'it'\\''s.json' --iterations 3 --cost 2 --time '10 minutes' --continue t\n",
  );
  expect(howToGoOn('t', options, { type: 'max_iterations' })).toMatch(/without --iterations .* --tokens 10 /);
  expect(howToGoOn('t', { workspace: process.cwd() }, { type: 'loop_detected' })).toBe(
    'To go on where it stopped: holdfast run --continue t\n',
  );
});

test("a chat's own compaction is told once, that of somebody else by its event", async () => {
  const own = new OwnCompactions();
  const record = { trigger: 'asked', before: 9, after: 1 } as const;
  await own.run(async () => {
    expect(own.isRunning).toBe(true);
    return { v: 1, status: 'done', record };
  });
  expect([own.isRunning, own.take(), own.take()]).toEqual([false, true, false]);
  await own.run(async () => ({ v: 1, status: 'unchanged', problem: 'It was interrupted.' }));
  expect(own.take()).toBe(false);
  await own.run(async () => {
    expect(own.take()).toBe(true);
    return { v: 1, status: 'done', record };
  });
  expect(own.take()).toBe(false);
});
