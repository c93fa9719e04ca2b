import { expect, test, vi } from 'vitest';
import type { AgentClient } from '../../src/client/agent-client.js';
import { TURN_ENDED } from '../../src/shared/sub-agents.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { endedTurn, PATIENCE, resultsOf } from '../interventions/ended-turn.js';
import { deafTool, heldTool } from '../interventions/tools.js';
import { agentWith, echoTool, textOfResult } from '../turn/agents.js';
import { ask, nested, subAgent } from './agents.js';

const usage = { inputTokens: 100, outputTokens: 10 };
const holding = reply(toolCall('hold'), { usage });

/** Resolves when the turn has been sent such a signal. */
async function untilSignaled({ client }: AgentClient, turnId: string, signal: string): Promise<void> {
  await vi.waitFor(async () => {
    const { events } = await client.workflow.getHandle(turnId).fetchHistory();
    const names = events?.map((event) => event.workflowExecutionSignaledEventAttributes?.signalName);
    expect(names).toContain(signal);
  }, PATIENCE);
}

// O12, SM-103, FA-123
test('an interrupt ends a running sub-agent and its tool; no model call follows; its usage is counted', async () => {
  const hold = heldTool();
  const researcher = subAgent('researcher', [holding, text('too late')], { tools: [hold.tool] });
  const { outcome, results } = await endedTurn(
    {
      script: [reply(ask('researcher'), toolCall('echo', { text: 'x' }))],
      agent: { tools: [researcher, echoTool().tool] },
    },
    async ({ turn, client }) => {
      await hold.running;
      await turn.interrupt('enough', { by: 'Ann' });
      const child = await client.turn(`${turn.turnId}/researcher`).result();
      expect(child).toMatchObject({
        type: 'interrupted',
        iterations: 1,
        intervention: { kind: 'interrupt', reason: 'enough', by: 'Ann' },
      });
      expect(child.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ status: 'interrupted' }] });
    },
  );
  expect(outcome?.type).toBe('interrupted');
  expect(results).toMatchObject([{ status: 'interrupted', cause: 'was_running' }, { status: 'ok' }]);
  expect(outcome?.usage.modelCalls).toBe(2);
  expect(outcome?.usage.inputTokens).toBeGreaterThan(100);
});

test("an interrupt reaches the sub-agents of sub-agents, and each one's usage comes up", async () => {
  const hold = heldTool();
  const deepest = subAgent('deepest', [holding], { tools: [hold.tool] });
  const { outcome } = await endedTurn(
    { script: [ask('level1')], agent: { tools: [nested(2, deepest)] } },
    async ({ turn, client }) => {
      await hold.running;
      await turn.interrupt();
      const child = await client.turn(`${turn.turnId}/level1/level2/deepest`).result();
      expect(child.type).toBe('interrupted');
    },
  );
  expect(outcome).toMatchObject({ type: 'interrupted', usage: { modelCalls: 4 } });
});

test('a sub-agent whose tool ignores its signal is waited for, until it has settled that call itself', async () => {
  const deaf = deafTool();
  const researcher = subAgent('researcher', [reply(toolCall('deaf'), { usage })], { tools: [deaf.tool] });
  const { outcome, results } = await endedTurn(
    { script: [ask('researcher')], agent: { tools: [researcher] } },
    async ({ turn }) => {
      await deaf.running;
      await turn.interrupt();
      await turn.result();
      deaf.release();
    },
  );
  expect(results).toMatchObject([{ status: 'interrupted', cause: 'was_running' }]);
  expect(outcome?.usage.modelCalls).toBe(2);
});

test('a stop goes down: what runs may end, and no agent calls its model again', async () => {
  const hold = heldTool();
  const researcher = subAgent('researcher', [holding, text('too late')], { tools: [hold.tool] });
  const { outcome, results } = await endedTurn(
    { script: [ask('researcher'), text('too late')], agent: { tools: [researcher] } },
    async ({ turn, client }) => {
      await hold.running;
      await turn.stop('shift ends');
      await untilSignaled(client, `${turn.turnId}/researcher`, 'stop');
      hold.release();
      const child = await client.turn(`${turn.turnId}/researcher`).result();
      expect(child).toMatchObject({
        type: 'interrupted',
        intervention: { kind: 'stop', reason: 'shift ends' },
      });
      expect(child.messages.at(-1)).toMatchObject({ role: 'tool', content: [{ status: 'ok' }] });
    },
  );
  expect(outcome).toMatchObject({ type: 'interrupted', intervention: { kind: 'stop' } });
  expect(outcome?.usage.modelCalls).toBe(2);
  expect(results).toMatchObject([{ status: 'interrupted' }]);
});

// FA-123
test("Temporal's cancel of the turn goes down, too; the sub-agent ends with an outcome", async () => {
  const hold = heldTool();
  const researcher = subAgent('researcher', [holding], { tools: [hold.tool] });
  const { failure, results } = await endedTurn(
    { script: [ask('researcher')], agent: { tools: [researcher] } },
    async ({ turn, client }) => {
      await hold.running;
      await turn.cancel();
      const child = await client.turn(`${turn.turnId}/researcher`).result();
      expect(child).toMatchObject({ type: 'interrupted', intervention: { kind: 'interrupt' } });
    },
  );
  expect(failure?.status).toBe('CANCELED');
  expect(results).toMatchObject([{ status: 'interrupted' }]);
});

test('a sub-agent that is interrupted or canceled alone is an interrupted result; the turn goes on', async () => {
  const [one, other] = [heldTool(), heldTool()];
  const { outcome, results } = await endedTurn(
    {
      script: [reply(ask('one'), ask('other')), text('done')],
      agent: {
        tools: [
          subAgent('one', [holding], { tools: [one.tool] }),
          subAgent('other', [holding], { tools: [other.tool] }),
        ],
      },
    },
    async ({ turn, client }) => {
      await Promise.all([one.running, other.running]);
      await client.turn(`${turn.turnId}/one`).interrupt();
      await client.turn(`${turn.turnId}/other`).cancel();
    },
  );
  expect(outcome).toMatchObject({ type: 'completed', usage: { modelCalls: 4 } });
  expect(results).toMatchObject([{ status: 'interrupted' }, { status: 'interrupted' }]);
});

test('a sub-agent that is terminated is an error result that says so; what it had cost is counted', async () => {
  const hold = heldTool();
  const researcher = subAgent('researcher', [holding], { tools: [hold.tool] });
  const { outcome, results } = await endedTurn(
    { script: [ask('researcher'), text('done')], agent: { tools: [researcher] } },
    async ({ turn, client }) => {
      await hold.running;
      await client.client.workflow.getHandle(`${turn.turnId}/researcher`).terminate('by hand');
    },
  );
  expect(outcome?.type).toBe('completed');
  expect(results).toMatchObject([{ status: 'error', cause: 'sub_agent_failed' }]);
  expect(textOfResult(results[0])).toContain('researcher was terminated from outside');
  expect(outcome?.usage.inputTokens).toBeGreaterThan(100);
  expect(outcome?.usage.unknownCalls).toBe(0);
});

test('a turn that is terminated takes its sub-agents along, and theirs; each settles what it runs', async () => {
  const hold = heldTool();
  const deepest = subAgent('deepest', [holding], { tools: [hold.tool] });
  const top = nested(1, deepest);
  const agent = agentWith([top], { model: scriptedModel([ask(top.name)]) });
  await withWorker(agent, async ({ start, client }) => {
    const turn = await start('hello');
    await hold.running;
    await client.client.workflow.getHandle(turn.turnId).terminate('by hand');
    const [above, below] = await Promise.all(
      [`${turn.turnId}/level1`, `${turn.turnId}/level1/deepest`].map((id) => client.turn(id).result()),
    );
    expect([above?.type, below?.type]).toEqual(['interrupted', 'interrupted']);
    expect(resultsOf(below?.messages ?? [])).toMatchObject([{ status: 'interrupted', cause: 'was_running' }]);
  });
});

test('word of an end that nobody waits for, comes twice or is nonsense changes nothing', async () => {
  const hold = heldTool();
  const researcher = subAgent('researcher', [holding, text('found')], { tools: [hold.tool] });
  const { outcome, results } = await endedTurn(
    {
      script: [ask('researcher'), toolCall('wait'), text('done')],
      agent: { tools: [researcher, heldTool('wait').tool], iterationsPerRun: 1 },
    },
    async ({ turn, client }) => {
      const parent = client.client.workflow.getHandle(turn.turnId);
      const ended = { v: 1, type: 'completed', text: 'made up', iterations: 1, usage: { inputTokens: 1 } };
      await hold.running;
      await parent.signal(TURN_ENDED);
      await parent.signal(TURN_ENDED, { ...ended, turnId: 'nobody' });
      hold.release();
      await vi.waitFor(async () => expect((await turn.state()).iteration).toBe(2), PATIENCE);
      await parent.signal(TURN_ENDED, { ...ended, turnId: `${turn.turnId}/researcher` });
      await turn.stop();
      await turn.interrupt();
    },
  );
  expect(textOfResult(results[0])).toBe('found');
  expect(outcome?.usage.modelCalls).toBe(4);
});

test('turns and sub-agents go on in new runs, and the one hears of the other', async () => {
  const researcher = subAgent('researcher', [toolCall('echo', { text: 'x' }), text('found')], {
    tools: [echoTool().tool],
    iterationsPerRun: 1,
  });
  const call = (id: string) => ({ ...toolCall('researcher', { task: 'go' }), id });
  const { outcome, results } = await endedTurn(
    {
      script: [call('a'), reply(call('b'), call('c')), text('done')],
      agent: { tools: [researcher], iterationsPerRun: 1 },
    },
    async () => undefined,
  );
  expect(results.map(textOfResult)).toEqual(['found', 'found', 'found']);
  expect(outcome?.usage.modelCalls).toBe(9);
});
