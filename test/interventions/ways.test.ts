import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { Receipt } from '../../src/shared/interventions.js';
import { serveScriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testPlace, withWorker } from '../../src/testing/test-environment.js';
import { agentWith } from '../turn/agents.js';
import { endedTurn, type RunningCase, shapeOf } from './ended-turn.js';
import { deafTool, heldTool } from './tools.js';

const script = [toolCall('hold'), text('never said')];
const rawHandle = ({ client, turn }: RunningCase): WorkflowHandle =>
  client.client.workflow.getHandle(turn.turnId);

/** Sends something to a turn while its tool runs. */
async function duringTool(send: (running: RunningCase) => Promise<unknown>) {
  const hold = heldTool();
  return await endedTurn({ script, tools: [hold.tool] }, async (running) => {
    await hold.running;
    await send(running);
  });
}

describe('an interrupt', () => {
  test('ends the turn while a tool runs, and the outcome says who asked and why', async () => {
    const { outcome, results, modelCalls } = await duringTool(({ turn }) =>
      turn.interrupt('enough', { id: 'i1', by: 'ann' }),
    );
    expect(outcome).toMatchObject({
      type: 'interrupted',
      intervention: { kind: 'interrupt', id: 'i1', reason: 'enough', by: 'ann' },
    });
    expect(results).toMatchObject([{ status: 'interrupted', cause: 'was_running' }]);
    expect(modelCalls).toBe(1);
  });

  test('names the client that sent it where nobody says who asks', async () => {
    const { outcome } = await duringTool(({ turn }) => turn.interrupt());
    expect(outcome?.intervention).toMatchObject({ kind: 'interrupt', by: expect.stringMatching(/.@./) });
  });

  test('by update answers with a receipt while the tool is still running', async () => {
    const deaf = deafTool();
    const { outcome } = await endedTurn(
      { script: [toolCall('deaf')], tools: [deaf.tool] },
      async (running) => {
        await deaf.running;
        const receipt = await rawHandle(running).executeUpdate<Receipt, [object]>('interrupt', {
          args: [{ v: 1, reason: 'enough' }],
        });
        expect(receipt).toEqual({ v: 1, id: '~interrupt-update-1', kind: 'interrupt', status: 'done' });
        expect(await running.turn.state()).toMatchObject({ phase: 'tools' });
        await running.turn.result();
        deaf.release();
      },
    );
    expect(outcome?.intervention).toMatchObject({ kind: 'interrupt', reason: 'enough' });
  });

  test.each([
    ['no argument', []],
    ['null', [null]],
    ['a number', [7]],
    ['a text', ['stop it']],
    ['fields of the wrong kind', [{ v: 9, id: '', reason: 7, by: [] }]],
    ['half a character', [{ v: 1, id: 'i\ud800', reason: 'r\ud800', by: '\udc00' }]],
    ['a reason of a megabyte', [{ v: 1, reason: 'x'.repeat(1_000_000) }]],
  ])('by a signal with %s is obeyed', async (_, args) => {
    const { outcome } = await duringTool((running) => rawHandle(running).signal('interrupt', ...args));
    expect(outcome).toMatchObject({ type: 'interrupted', intervention: { kind: 'interrupt' } });
  });

  test('twice is once: the first reason stays, and the second receipt says so', async () => {
    const deaf = deafTool();
    const { outcome } = await endedTurn(
      { script: [toolCall('deaf')], tools: [deaf.tool] },
      async (running) => {
        await deaf.running;
        await running.turn.interrupt('first', { id: 'i1' });
        await running.turn.interrupt('first', { id: 'i1' });
        const again = { v: 1, id: 'i1', reason: 'again' };
        expect(await rawHandle(running).executeUpdate('interrupt', { args: [again] })).toMatchObject({
          status: 'done',
          duplicate: true,
        });
        await running.turn.interrupt('second', { id: 'i2' });
        await running.turn.result();
        deaf.release();
      },
    );
    expect(outcome?.intervention).toMatchObject({ id: 'i1', reason: 'first' });
  });

  test('fifty times at once is harmless', async () => {
    const { outcome, results } = await duringTool(({ turn }) =>
      Promise.all(Array.from({ length: 50 }, (_, index) => turn.interrupt('enough', { id: `i${index}` }))),
    );
    expect(outcome).toMatchObject({ type: 'interrupted', intervention: { reason: 'enough' } });
    expect(results).toHaveLength(1);
  });

  test('after the end is too late, and no error', async () => {
    const { outcome } = await endedTurn({ script: [text('done')] }, async ({ turn }) => {
      await turn.result();
      expect(await turn.interrupt('late', { id: 'i1' })).toEqual({ id: 'i1', status: 'too_late' });
      expect(await turn.stop('late', { id: 'i2' })).toEqual({ id: 'i2', status: 'too_late' });
      expect(await turn.steer('late', { id: 'i3' })).toEqual({ id: 'i3', status: 'too_late' });
    });
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  });
});

describe("Temporal's cancel", () => {
  test('during a tool settles its call and shows as Canceled', async () => {
    const { failure, results, events, transcript } = await duringTool(({ turn }) => turn.cancel());
    expect(failure).toMatchObject({ status: 'CANCELED', type: 'Turn.Canceled' });
    expect(results).toMatchObject([{ status: 'interrupted', cause: 'was_running' }]);
    expect(shapeOf(transcript)).toBe('user, assistant, tool');
    expect(events.at(-1)).toMatchObject({ type: 'turn_ended', outcome: 'canceled' });
  });

  test('after an interrupt changes nothing: the interrupt came first', async () => {
    const { outcome } = await duringTool(async ({ turn }) => {
      await turn.interrupt('first');
      await turn.cancel().catch(() => undefined);
    });
    expect(outcome).toMatchObject({ type: 'interrupted', intervention: { reason: 'first' } });
  });
});

test("after Temporal's terminate, which no turn can answer, the rebuilt transcript is one that a next turn takes", async () => {
  const hold = heldTool();
  const server = await serveScriptedModel([toolCall('hold'), text('the next turn')]);
  onTestFinished(() => server.close());
  const model = openai({ baseURL: server.url, apiKey: 'k', model: 'scripted' });
  await withWorker(agentWith([hold.tool], { model }), async ({ start, client }) => {
    const turn = await start('hello');
    await hold.running;
    await client.client.workflow.getHandle(turn.turnId).terminate();
    const transcript = await turn.transcript();
    expect(shapeOf(transcript)).toBe('user, assistant, tool');
    expect(transcript[2]?.content).toMatchObject([{ status: 'interrupted', cause: 'may_still_run' }]);
    const next = await start('go on', { transcript });
    expect(await next.result()).toMatchObject({ type: 'completed', text: 'the next turn' });
    expect(server.refusals).toEqual([]);
  });
});

// O11
describe('before the first workflow task', () => {
  test.each(['interrupt', 'stop', 'cancel'] as const)(
    '%s ends the turn without a model call',
    async (kind) => {
      const taskQueue = `test-${randomUUID()}`;
      const { client } = await testPlace();
      const started = await client.start('tester', 'hello', { taskQueue });
      await (kind === 'cancel' ? started.cancel() : started[kind]('never mind'));
      const { outcome, failure, transcript, modelCalls } = await endedTurn(
        { script: [text('never said')], worker: { taskQueue }, started },
        async () => undefined,
      );
      expect(modelCalls).toBe(0);
      expect(shapeOf(transcript)).toBe('user, user (note)');
      if (kind === 'cancel') expect(failure).toMatchObject({ status: 'CANCELED' });
      else
        expect(outcome).toMatchObject({ type: 'interrupted', intervention: { kind, reason: 'never mind' } });
    },
  );

  test('a steer joins before the first model call', async () => {
    const taskQueue = `test-${randomUUID()}`;
    const { client } = await testPlace();
    const started = await client.start('tester', 'hello', { taskQueue });
    await started.steer('and be brief');
    const { outcome, transcript, modelCalls } = await endedTurn(
      { script: [text('done')], worker: { taskQueue }, started },
      async () => undefined,
    );
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(shapeOf(transcript)).toBe('user, user, assistant');
    expect(modelCalls).toBe(1);
  });
});
