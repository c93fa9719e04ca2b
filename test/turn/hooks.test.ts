import { expect, test } from 'vitest';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import type { TurnEvent } from '../../src/client.js';
import { fault, reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { replay } from '../../src/testing/test-turn.js';
import { textOfResult } from './agents.js';
import { hookedWorker } from './hooked-worker.js';

const { called, ended, keys, runs, worker, run } = hookedWorker();

function saying(...said: string[]) {
  return reply(...said.map((each) => toolCall('say', { say: each })));
}

async function eventsOf(turn: TurnHandle): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for await (const event of turn.events()) events.push(event);
  return events;
}

// FA-070
test('hooks are called in the order of the turn, and once after it', async () => {
  const { turn, outcome } = await run([saying('a')]);
  expect(called.get(turn.turnId)).toEqual([
    ...['before_llm:0', 'after_llm:tool_use', 'before_tool', 'after_tool'],
    ...['before_llm:1', 'after_llm:end_turn', 'after_turn:2'],
  ]);
  expect(ended.at(-1)).toMatchObject({ type: 'completed', text: 'done', iterations: 2 });
  expect(new Set(keys.filter((key) => key.startsWith(turn.turnId))).size).toBe(7);
  expect(outcome.steps.map(({ hooks }) => hooks)).toEqual([
    [{ hook: 'hook 2', point: 'afterModelCall', did: 'noted', text: 'it stopped by tool_use' }],
    [{ hook: 'hook 2', point: 'afterModelCall', did: 'noted', text: 'it stopped by end_turn' }],
  ]);
});

// MC-063: the first block wins
test('a blocked call is answered with the reason, and the others run', async () => {
  const { results, outcome, turn } = await run([saying('push', 'b')]);
  expect(results).toMatchObject([{ status: 'denied', cause: 'blocked_by_hook' }, { status: 'ok' }]);
  expect(textOfResult(results[0])).toBe(
    'say was not run: a hook blocked this call. The reason: no pushes on Fridays',
  );
  expect(outcome.type).toBe('completed');
  const blocked = (await eventsOf(turn)).filter((event) => event.type === 'hook' && event.did === 'blocked');
  expect(blocked).toMatchObject([{ hook: 'guard', text: 'no pushes on Fridays', iteration: 0 }]);
});

// FA-072 by D15: an error result of its call, and the loop goes on
test('a hook that throws, or decides what nobody understands, is an error result of its call alone', async () => {
  const { results, outcome } = await run([saying('throw', 'misfit', 'nonsense', 'c')]);
  expect(results.map(({ cause }) => cause)).toEqual(['hook_failed', 'hook_failed', 'hook_failed', undefined]);
  expect(results.map(textOfResult)).toEqual([
    'Error: the hook that looks at calls of say failed: the policy server is down. It was not run.',
    expect.stringContaining('its "arguments" don\'t fit the schema (say: '),
    expect.stringContaining('it gave "allow", which says nothing here; there are block, arguments, ask'),
    'c',
  ]);
  expect(outcome.type).toBe('completed');
});

// FA-077; MC-063 otherwise: hooks see each other's changes
test('each hook sees what the one before has made of the call, and the model reads with what it was run', async () => {
  const { results } = await run([saying('chain')]);
  expect(textOfResult(results[0])).toBe(
    'chain 1 2[A hook changed the arguments, and it was run with: {"say":"chain 1 2"}]',
  );
  expect(runs.at(-1)).toBe('chain 1 2');
});

test('permissions decide on what would really run', async () => {
  const { results } = await run([saying('sneak', 'forbidden')]);
  expect(results.map(({ cause }) => cause)).toEqual(['denied_by_rule', undefined]);
  expect(textOfResult(results[1])).toContain('allowed fruit');
});

test('a hook asks for a person, who sees what will run; that is what runs', async () => {
  const model = scriptedModel([saying('careful', 'rewrite'), text('done')]);
  const turn = await worker.start(model);
  const asked: Extract<TurnEvent, { type: 'approval_requested' }>[] = [];
  for await (const event of turn.events()) {
    if (event.type !== 'approval_requested') continue;
    asked.push(event);
    await turn.approve(event.callId);
  }
  expect(asked.map(({ why, input }) => [why, input])).toEqual([
    ['a hook asks: it is careful', { say: 'careful' }],
    ['a hook asks: it was rewritten', { say: 'written by guard' }],
  ]);
  expect(runs).toContain('written by guard');
  expect(runs).not.toContain('rewrite');
  await replay(turn.turnId);
});

// FA-073
test('a result is rewritten, or added to; a hook that throws leaves it as it is', async () => {
  const { results, turn, outcome } = await run([saying('secret 123', 'long', 'break')]);
  expect(results.map(textOfResult)).toEqual(['secret ***', 'longThat was long.', 'break']);
  expect(results.every(({ status }) => status === 'ok')).toBe(true);
  expect(outcome.steps[0]?.hooks).toContainEqual(
    expect.objectContaining({
      hook: 'guard',
      point: 'afterToolCall',
      did: 'failed',
      text: 'no room in the log',
    }),
  );
  const names = (await eventsOf(turn)).filter((event) => event.type === 'hook').map(({ did }) => did);
  expect(names.toSorted()).toEqual(['changed', 'changed', 'failed', 'noted', 'noted']);
});

test("hooks see a sub-agent's call and its result, too", async () => {
  const { results, turn, outcome } = await run([toolCall('helper', { task: 'help' })]);
  expect(results.map(textOfResult)).toEqual(['secret ***']);
  expect(called.get(turn.turnId)?.filter((each) => each.endsWith('tool'))).toEqual([
    'before_tool',
    'after_tool',
  ]);
  expect(outcome.steps[0]?.calls[0]?.subAgent?.iterations).toBe(1);
});

// FA-071
test('the request is changed for that call, and the transcript is not', async () => {
  const { requests, turn } = await run([saying('d')], { changes: true });
  expect(requests.map(({ instructions, options }) => [instructions, options])).toEqual(
    Array(2).fill(['Test. Be brief.', { temperature: 0.5 }]),
  );
  const last = requests.map(({ messages }) => messages.at(-1)?.content);
  expect(last).toMatchObject([[{ text: 'This is call 0.' }], [{ text: 'This is call 1.' }]]);
  expect(requests[1]?.messages).toHaveLength(4);
  expect((await turn.transcript()).map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
  ]);
});

// FA-074, FA-075 by D15
test('a fault before the model call fails the turn by its name; one after it, or after the turn, loses nothing', async () => {
  const failing = await worker.start(scriptedModel([text('never')]), 'hello', { metadata: { fails: true } });
  const { outcome, turn } = await run([saying('e')], { trips: true });
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  const failed = (await eventsOf(turn)).filter((event) => event.type === 'hook' && event.did === 'failed');
  expect(failed).toMatchObject([
    { point: 'afterModelCall', text: 'tripped' },
    { point: 'afterModelCall', text: 'tripped' },
    { point: 'afterTurn', text: 'the mail server is down' },
  ]);
  const broken = fault({ status: 400 });
  await expect(run([saying('f'), broken])).rejects.toMatchObject({ type: 'Model.BadRequest' });
  expect(ended.at(-1)).toMatchObject({ type: 'failed', failure: { type: 'Model.BadRequest' } });
  await expect(failing.result()).rejects.toMatchObject({
    type: 'Agent.HookFailed',
    message: expect.stringContaining('The hook "hook 2" before the model call failed: no budget service'),
  });
});

// FA-076
test('after an interrupt no hook holds the turn up', async () => {
  const turn = await worker.start(scriptedModel([saying('careful')]));
  for await (const event of turn.events()) if (event.type === 'approval_requested') await turn.interrupt();
  expect((await turn.result()).type).toBe('interrupted');
  expect(called.get(turn.turnId)?.some((each) => each.startsWith('after_turn'))).toBe(false);
});
