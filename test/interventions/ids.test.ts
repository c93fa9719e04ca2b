import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import { textOf } from '../../src/shared/messages.js';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { type RunningWorker, withWorker } from '../../src/testing/test-environment.js';

type Turn = Awaited<ReturnType<RunningWorker['start']>>;
type Signal = (name: string, ...args: unknown[]) => Promise<void>;

/** Runs a turn whose tool waits, sends to it meanwhile, lets the tool go, and gives the outcome. */
async function outcomeAfter(send: (signal: Signal, turn: Turn) => Promise<void>) {
  let begun: () => void = () => undefined;
  let open: () => void = () => undefined;
  const running = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const gate = defineTool({
    name: 'gate',
    description: 'Waits.',
    input: z.object({}),
    run: (_args, { signal }) => {
      begun();
      return new Promise<string>((resolve, reject) => {
        open = () => resolve('open');
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  const model = scriptedModel([toolCall('gate'), text('done')]);
  const agent = defineAgent({ name: 'tester', instructions: 'Test.', model, tools: [gate] });
  return await withWorker(agent, async ({ start, client }) => {
    const turn = await start('wait');
    await running;
    const handle = client.client.workflow.getHandle(turn.turnId);
    await send((name, ...args) => handle.signal(name, ...args), turn);
    await turn.state();
    open();
    const outcome = await turn.result();
    expect(await turn.transcript()).toEqual(outcome.messages);
    const steers = outcome.messages
      .filter((message) => message.role === 'user')
      .map(textOf)
      .slice(1);
    return { ...outcome, steers };
  });
}

test('an interrupt is obeyed though a steer has had its id', async () => {
  const outcome = await outcomeAfter(async (_signal, turn) => {
    await turn.steer('left', { id: 'same' });
    await turn.interrupt('enough', { id: 'same' });
  });
  expect(outcome).toMatchObject({ type: 'interrupted', intervention: { kind: 'interrupt' } });
});

test('an interrupt is obeyed though a stop has had its id', async () => {
  const outcome = await outcomeAfter(async (_signal, turn) => {
    await turn.stop('soon', { id: 'same' });
    await turn.interrupt('now', { id: 'same' });
  });
  expect(outcome).toMatchObject({ type: 'interrupted', intervention: { kind: 'interrupt', reason: 'now' } });
});

test('messages without an id are told apart from any that have one', async () => {
  const { steers } = await outcomeAfter(async (signal) => {
    await signal('steer', { v: 1, id: '~steer-2', message: 'first' });
    await signal('steer', { v: 1, message: 'second' });
    await signal('steer', { v: 1, id: 'steer-3', message: 'third' });
    await signal('steer', { v: 1, message: 'fourth' });
  });
  expect(steers).toEqual(['first', 'second', 'third', 'fourth']);
});

test('two long ids that differ in their ends are two', async () => {
  const { steers } = await outcomeAfter(async (_signal, turn) => {
    await turn.steer('one', { id: `${'x'.repeat(250)}1` });
    await turn.steer('two', { id: `${'x'.repeat(250)}2` });
  });
  expect(steers).toEqual(['one', 'two']);
});

test('a message of nothing but white space is refused', async () => {
  const { steers } = await outcomeAfter(async (signal, turn) => {
    await signal('steer', { v: 1, id: 'blank', message: ' \n ' });
    await expect(turn.steer('   ')).rejects.toThrow(TypeError);
  });
  expect(steers).toEqual([]);
});
