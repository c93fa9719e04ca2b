import { describe, expect, test } from 'vitest';
import { fallback } from '../../src/activities/fallback.js';
import { readHistory } from '../../src/client/read-history.js';
import { type FinishedTurn, TurnFailed } from '../../src/client.js';
import { retryable } from '../../src/define/retryable.js';
import type { TurnStep } from '../../src/shared/steps.js';
import {
  attempts,
  fault,
  reply,
  type Script,
  scriptedModel,
  testPlace,
  testTurn,
  text,
  toolCall,
  withWorker,
} from '../../src/testing/index.js';
import { heldTool } from '../interventions/tools.js';
import { agentWith, countedTool, echoTool, heldReply } from './agents.js';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const timed = { startedAt: TIME, durationMs: expect.any(Number) };
const usage = { inputTokens: 3, outputTokens: 1 };

const fails = countedTool('fail', {}, () => {
  throw new Error('the shop is closed');
}).tool;
const tools = [echoTool().tool, fails];

async function rebuilt(turnId: string): Promise<TurnStep[]> {
  const { client } = await testPlace();
  return (await readHistory(client.client, turnId)).steps.list();
}

async function turnOf(script: Script, options: Parameters<typeof agentWith>[1] = {}): Promise<FinishedTurn> {
  const model = scriptedModel(script);
  const { outcome } = await testTurn(agentWith(tools, { model, ...options }), 'hello');
  return outcome;
}

describe('outcome.steps', () => {
  test('has one record an iteration: the model call, and each tool call with what came of it', async () => {
    const { steps } = await turnOf([
      reply(toolCall('echo', { text: 'a' }, { id: 'one' }), toolCall('fail', {}, { id: 'two' }), { usage }),
      toolCall('nobody', {}, { id: 'three' }),
      text('done'),
    ]);
    expect(steps).toEqual([
      {
        ...{ iteration: 0, model: 'scripted', stopReason: 'tool_use', attempts: 1, usage, ...timed },
        calls: [
          { id: 'one', name: 'echo', status: 'ok', ...timed },
          {
            ...{ id: 'two', name: 'fail', status: 'error', cause: 'tool_threw', ...timed },
            error: 'Error: the shop is closed',
          },
        ],
      },
      {
        ...{ iteration: 1, model: 'scripted', stopReason: 'tool_use', attempts: 1, usage, ...timed },
        calls: [
          {
            ...{ id: 'three', name: 'nobody', status: 'error', cause: 'unknown_tool' },
            error: expect.stringContaining('echo'),
          },
        ],
      },
      { iteration: 2, model: 'scripted', stopReason: 'end_turn', attempts: 1, usage, ...timed, calls: [] },
    ]);
  });

  test('counts the tries of a model call, and is the same when it is rebuilt from the event history', async () => {
    const outcome = await turnOf([
      reply(toolCall('echo', { text: 'a' }), toolCall('fail'), toolCall('nobody')),
      attempts(fault({ status: 503 }), text('done')),
    ]);
    expect(outcome.steps).toHaveLength(2);
    expect(outcome.steps[1]).toMatchObject({ attempts: 2, stopReason: 'end_turn', ...timed });
    expect(await rebuilt(outcome.turnId)).toEqual(outcome.steps);
  });

  test('counts tries, and no models that one try has gone on to', async () => {
    const busy = scriptedModel([fault({ status: 503 })]);
    const model = fallback([busy, scriptedModel([text('done')], { name: 'other' })]);
    const outcome = await turnOf([], { model });
    expect(outcome).toMatchObject({ text: 'done', usage: { failedCalls: 1 } });
    expect(outcome.steps).toMatchObject([{ attempts: 1, model: 'other' }]);
  });

  test('is whole where the turn is too long for its result, over all its runs', async () => {
    const long = toolCall('echo', { text: 'so long '.repeat(4000) });
    const outcome = await turnOf([long, long, long, text('done')], { iterationsPerRun: 2 });
    expect(outcome.steps.map(({ iteration }) => iteration)).toEqual([0, 1, 2, 3]);
    expect(outcome.steps.map(({ calls }) => calls.length)).toEqual([1, 1, 1, 0]);
  });

  test('is carried over from run to run, and seen in the workflow', async () => {
    const model = scriptedModel([toolCall('echo', { text: 'a' }), text('done')]);
    await withWorker(agentWith(tools, { model, iterationsPerRun: 1 }), async ({ start, client }) => {
      const turn = await start('hello');
      const { steps } = await turn.result();
      const recorded = await client.client.workflow.getHandle(turn.turnId).result();
      expect(steps).toHaveLength(2);
      expect(recorded.steps).toEqual(steps);
      expect(await rebuilt(turn.turnId)).toEqual(steps);
    });
  });

  test('says why a turn failed, in the outcome of the error', async () => {
    const model = scriptedModel([toolCall('echo', { text: 'a' }), fault({ status: 401 })]);
    await withWorker(agentWith(tools, { model }), async ({ start }) => {
      const turn = await start('hello');
      const failed = await turn.result().catch((error: unknown) => error);
      if (!(failed instanceof TurnFailed)) throw failed;
      const steps = failed.outcome?.steps;
      expect(steps).toMatchObject([
        { iteration: 0, calls: [{ name: 'echo', status: 'ok' }] },
        {
          iteration: 1,
          attempts: 1,
          ...timed,
          error: expect.stringMatching(/^Model\.Authentication: /),
          calls: [],
        },
      ]);
      expect(await rebuilt(turn.turnId)).toEqual(steps);
    });
  });

  test('tells an interrupted tool from one that had not begun', async () => {
    const held = heldTool();
    const alone = countedTool('alone', {}, () => 'alone', { parallel: false }).tool;
    const model = scriptedModel([reply(toolCall('hold'), toolCall('alone'))]);
    await withWorker(agentWith([held.tool, alone], { model }), async ({ start }) => {
      const turn = await start('hello');
      await held.running;
      await turn.interrupt('enough');
      const { steps } = await turn.result();
      expect(steps).toHaveLength(1);
      expect(steps[0]?.calls).toEqual([
        expect.objectContaining({ name: 'hold', status: 'interrupted', cause: 'was_running', ...timed }),
        expect.not.objectContaining({ startedAt: TIME }),
      ]);
      expect(await rebuilt(turn.turnId)).toEqual(steps);
    });
  });

  test('has a model call that an interrupt has cut', async () => {
    const held = heldReply('late');
    const model = scriptedModel([held.entry]);
    await withWorker(agentWith([], { model }), async ({ start }) => {
      const turn = await start('hello');
      await held.asked;
      await turn.interrupt();
      const { steps } = await turn.result();
      held.answer();
      expect(steps).toEqual([{ iteration: 0, attempts: 1, ...timed, calls: [] }]);
      expect(await rebuilt(turn.turnId)).toEqual(steps);
    });
  });

  test('of a tool that asked for a retry has the time of its last try', async () => {
    const { tool, runs } = countedTool(
      'again',
      {},
      (_args, { attempt }) => {
        if (attempt === 1) throw retryable(new Error('busy'), { after: 1 });
        return 'ok';
      },
      { idempotent: true },
    );
    const model = scriptedModel([toolCall('again'), text('done')]);
    const { outcome } = await testTurn(agentWith([tool], { model }), 'hello');
    expect(runs).toHaveLength(2);
    expect(outcome.steps[0]?.calls).toEqual([{ ...outcome.steps[0]?.calls[0], status: 'ok', ...timed }]);
  });
});
