import { describe, expect, test } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import { fault, reply, type ScriptedPart, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { ask, subAgent } from '../sub-agents/agents.js';
import { aborted, agentWith, countedTool, echoTool, servedModel } from './agents.js';
import { manyAgents } from './many-agents.js';

const wait = countedTool('wait', {}, async (_args, { signal }) => {
  await aborted(signal);
  throw signal.reason;
});
const asked = countedTool('asked', {}, () => 'done', { approval: 'ask' });
const tools = [echoTool().tool, wait.tool, asked.tool];
const used = (part: ScriptedPart, inputTokens: number, costUsd?: number) =>
  reply(part, { usage: { inputTokens, outputTokens: 0, ...(costUsd !== undefined && { costUsd }) } });
const round = (at: number, tokens = 100, costUsd?: number) =>
  used(toolCall('echo', { text: `${at}` }), tokens, costUsd);
const helper = (name: string) =>
  subAgent(name, [round(1, 400), round(2, 400), round(3, 400), used(text('found'), 400)], {
    tools: [echoTool().tool],
  });
const waiter = subAgent('waiter', [toolCall('wait')], { tools: [wait.tool] });
const { start, end, worker } = manyAgents((model) => [
  agentWith(tools, { model }),
  agentWith(tools, { name: 'short_runs', model, iterationsPerRun: 1, limits: { tokens: 250 } }),
  agentWith([], { name: 'parent', model, tools: [helper('left'), helper('right'), waiter] }),
]);

async function timersOf({ turnId }: TurnHandle) {
  const { events } = await worker().client.client.workflow.getHandle(turnId).fetchHistory();
  const count = (name: 'timerStartedEventAttributes' | 'timerCanceledEventAttributes') =>
    (events ?? []).filter((event) => event[name]).length;
  return { started: count('timerStartedEventAttributes'), canceled: count('timerCanceledEventAttributes') };
}

describe('a limit of tokens', () => {
  test('is looked at before each model call; what the reply that reached it asks for is run', async () => {
    const model = scriptedModel([round(1), round(2), round(3)]);
    const { outcome } = await end(await start('tester', model, { limits: { tokens: 200 } }));
    expect(outcome).toMatchObject({
      type: 'budget_exceeded',
      exceeded: { limit: 'tokens', allowed: 200, spent: 200 },
      iterations: 2,
    });
    expect(outcome.messages.at(-1)?.role).toBe('tool');
  });

  test('goes along where the turn goes on in new runs', async () => {
    const model = scriptedModel([round(1), round(2), round(3), round(4)]);
    const { outcome } = await end(await start('short_runs', model));
    expect(outcome).toMatchObject({ type: 'budget_exceeded', exceeded: { spent: 300 }, iterations: 3 });
  });

  test('of none at all makes no model call', async () => {
    const model = scriptedModel([text('never')]);
    const { outcome } = await end(await start('tester', model, { limits: { tokens: 0 } }));
    expect(outcome).toMatchObject({ type: 'budget_exceeded', iterations: 0 });
    expect(model.requests).toEqual([]);
  });

  test('where no reply tells its tokens fails the turn with the first, by name', async () => {
    const model = scriptedModel([reply(text('hello'), { usage: null })]);
    const turn = await start('tester', model, { limits: { tokens: 200 } });
    await expect(turn.result()).rejects.toMatchObject({ type: 'Model.NotCounted' });
  });
});

describe('a limit of costs', () => {
  test('ends the turn once it is reached', async () => {
    const model = scriptedModel([round(1, 100, 0.5), round(2, 100, 0.5), round(3, 100, 0.5)]);
    const { outcome } = await end(await start('tester', model, { limits: { cost: { usd: 1 } } }));
    expect(outcome).toMatchObject({
      type: 'budget_exceeded',
      exceeded: { limit: 'cost', allowed: 1, spent: 1 },
      usage: { costUsd: 1 },
    });
  });

  test('with a model that has no price is refused by name, before it is asked', async () => {
    const { server } = await servedModel([text('never')]);
    const model = openai({ baseURL: server.url, model: 'scripted' });
    const turn = await start('tester', model, { limits: { cost: { usd: 1 } } });
    const failure = turn.result();
    await expect(failure).rejects.toMatchObject({ type: 'Model.NotCounted' });
    await expect(failure).rejects.toThrow(/limits\.cost.*HOLDFAST_PRICES/);
    expect(server.requests).toEqual([]);
  });
});

describe('a limit of time', () => {
  test('ends a tool that runs, as an interrupt does', async () => {
    const model = scriptedModel([toolCall('wait')]);
    const { outcome } = await end(await start('tester', model, { limits: { time: 2000 } }));
    expect(outcome).toMatchObject({ type: 'budget_exceeded', exceeded: { limit: 'time', allowed: 2000 } });
    expect(outcome).not.toHaveProperty('intervention');
    expect(outcome.steps[0]?.calls).toMatchObject([{ status: 'interrupted' }]);
  });

  test('ends a model call, and a note says so', async () => {
    const model = scriptedModel([fault({ delayMs: Number.POSITIVE_INFINITY })]);
    const { outcome } = await end(await start('tester', model, { limits: { time: '0.3 seconds' } }));
    expect(outcome).toMatchObject({ type: 'budget_exceeded', exceeded: { limit: 'time' }, iterations: 0 });
    expect(outcome.messages.at(-1)).toMatchObject({ role: 'user', content: [{ text: /used up/ }] });
  });

  test('takes one timer, however many rounds there are', async () => {
    const turn = await start('tester', scriptedModel([round(1), round(2), text('done')]), {
      limits: { time: '1 hour' },
    });
    expect((await end(turn)).outcome.type).toBe('completed');
    expect(await timersOf(turn)).toEqual({ started: 1, canceled: 0 });
  });

  test('stands still while a person is asked', async () => {
    const turn = await start('tester', scriptedModel([toolCall('asked'), text('done')]), {
      limits: { time: '1 hour' },
    });
    for await (const event of turn.events()) {
      if (event.type !== 'approval_requested') continue;
      expect(await timersOf(turn)).toEqual({ started: 1, canceled: 1 });
      await turn.approve(event.callId);
    }
    expect((await end(turn)).outcome.type).toBe('completed');
    expect(await timersOf(turn)).toEqual({ started: 2, canceled: 1 });
  });
});

describe('the budget of a turn with sub-agents', () => {
  test('is shared out among those that run at once, and what they use comes up', async () => {
    const both = reply(ask('left'), ask('right'), { usage: { inputTokens: 100, outputTokens: 0 } });
    const model = scriptedModel([both, text('never')]);
    const { outcome } = await end(await start('parent', model, { limits: { tokens: 1000 } }));
    // 900 are left, 450 for each of them: two calls of 400, and no third.
    expect(outcome).toMatchObject({ type: 'budget_exceeded', exceeded: { spent: 1700 }, iterations: 1 });
    expect(outcome.steps[0]?.calls).toMatchObject([
      { id: 'left', status: 'error', cause: 'sub_agent_limit', subAgent: { iterations: 2 } },
      { id: 'right', status: 'error', cause: 'sub_agent_limit', subAgent: { iterations: 2 } },
    ]);
  });

  test('of time ends them with their parent, and what they have used comes up', async () => {
    const model = scriptedModel([ask('waiter')]);
    const { outcome } = await end(await start('parent', model, { limits: { time: 2500 } }));
    expect(outcome).toMatchObject({ type: 'budget_exceeded', exceeded: { limit: 'time' } });
    const [call] = outcome.steps[0]?.calls ?? [];
    expect(outcome.usage.modelCalls).toBe(outcome.iterations + (call?.subAgent?.iterations ?? 0));
  });

  test('that is used up leaves none to a sub-agent, which then makes no model call', async () => {
    const model = scriptedModel([reply(ask('left'), { usage: { inputTokens: 100, outputTokens: 0 } })]);
    const { outcome } = await end(await start('parent', model, { limits: { tokens: 100 } }));
    expect(outcome).toMatchObject({ type: 'budget_exceeded', exceeded: { spent: 100 } });
    expect(outcome.steps[0]?.calls[0]).toMatchObject({ status: 'error', subAgent: { iterations: 0 } });
  });
});
