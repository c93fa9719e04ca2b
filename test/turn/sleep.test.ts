import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import { sleepUntil } from '../../src/define/sleep-until.js';
import { reply, scriptedModel, text, toolCall, withWorker } from '../../src/testing/index.js';
import { aborted, agentWith, countedTool, textOfResult } from './agents.js';
import { manyAgents } from './many-agents.js';

const look = countedTool('look', {});
const hold = countedTool('hold', {}, (_, { signal }) => aborted(signal));
const { start, end, worker } = manyAgents((model) => [
  agentWith([sleepUntil(), look.tool, hold.tool], { model, iterationsPerRun: 1 }),
]);
const sleeping = (until: string) => scriptedModel([toolCall('sleep_until', { until }), text('done')]);

async function untilAsleep(turn: TurnHandle) {
  for await (const event of turn.events()) if (event.type === 'tool_started' && event.until) return event;
  throw new Error('It never slept.');
}

async function resultOf(turn: TurnHandle) {
  const { outcome, transcript } = await end(turn);
  const [result] = transcript.flatMap((message) => (message.role === 'tool' ? message.content : []));
  return { outcome, result, said: textOfResult(result) };
}

describe('sleep_until', () => {
  test('parks the turn on a timer, and goes on when the time has come', async () => {
    const turn = await start('tester', sleeping('1 second'));
    const { outcome, result, said } = await resultOf(turn);
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
    expect(result?.status).toBe('ok');
    expect(said).toMatch(/^It is 20.*the time has come/);
  });

  test('shows until when it sleeps, in the state and the Web UI, and a message wakes it', async () => {
    const turn = await start('tester', sleeping('3 days'));
    const { until } = await untilAsleep(turn);
    const state = await turn.state();
    expect(state.pendingCalls).toMatchObject([{ name: 'sleep_until', status: 'sleeping', until }]);
    const handle = worker().client.client.workflow.getHandle(turn.turnId);
    const metadata = await handle.query<{ currentDetails?: string }, []>('__temporal_workflow_metadata');
    expect(metadata.currentDetails).toContain(`sleeping until ${until}`);
    await turn.steer('go on');
    const { outcome, said } = await resultOf(turn);
    expect(said).toContain('a message has come');
    expect(outcome.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
    ]);
  });

  test('outlives its worker: another one wakes the turn', async () => {
    const agent = agentWith([sleepUntil()], { model: sleeping('3 days') });
    const taskQueue = `sleep-${randomUUID()}`;
    const asleep = await withWorker(
      agent,
      async (first) => {
        const turn = await first.start('hello');
        await untilAsleep(turn);
        return turn;
      },
      { taskQueue },
    );
    await asleep.steer('go on');
    const outcome = await withWorker(agent, () => asleep.result(), { taskQueue });
    expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  });

  test.each(['interrupt', 'stop'] as const)('ends at once by %s', async (kind) => {
    const turn = await start('tester', sleeping('3 days'));
    await untilAsleep(turn);
    await turn[kind]('enough');
    const { outcome, result } = await resultOf(turn);
    expect(outcome).toMatchObject({ type: 'interrupted', intervention: { kind } });
    expect(result).toMatchObject({ status: 'interrupted', cause: 'not_started' });
  });

  test('of a time that is past returns at once', async () => {
    const { outcome, said } = await resultOf(await start('tester', sleeping('2020-01-01')));
    expect(outcome.type).toBe('completed');
    expect(said).toContain('the time has come');
  });

  test('for longer than may be is an error that the model reads', async () => {
    const { result, said } = await resultOf(await start('tester', sleeping('300 days')));
    expect(result).toMatchObject({ status: 'error', cause: 'invalid_arguments' });
    expect(said).toContain('is the latest');
  });

  test('sleeps beside the other calls of its reply', async () => {
    const model = scriptedModel([
      reply(toolCall('sleep_until', { until: '1 second' }), toolCall('look')),
      text('done'),
    ]);
    const { outcome } = await end(await start('tester', model));
    expect(outcome.steps[0]?.calls.map(({ name, status }) => [name, status])).toEqual([
      ['sleep_until', 'ok'],
      ['look', 'ok'],
    ]);
  });

  test('stops the time limit of the turn, which does not count the sleep', async () => {
    const turn = await start('tester', sleeping('3 days'), { limits: { time: '1 hour' } });
    await untilAsleep(turn);
    const { events } = await worker().client.client.workflow.getHandle(turn.turnId).fetchHistory();
    expect(events?.filter((event) => event.timerCanceledEventAttributes)).toHaveLength(1);
    await turn.steer('go on');
    expect((await end(turn)).outcome.type).toBe('completed');
  });

  test('does not stop it while another call of its reply works', async () => {
    const model = scriptedModel([reply(toolCall('sleep_until', { until: '3 days' }), toolCall('hold'))]);
    const { outcome } = await end(await start('tester', model, { limits: { time: '1 second' } }));
    expect(outcome).toMatchObject({ type: 'budget_exceeded', exceeded: { limit: 'time' } });
  });
});
