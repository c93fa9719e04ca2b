import { expect, test } from 'vitest';
import type { Agent } from '../../src/define/define-agent.js';
import { testPlace } from '../../src/testing/index.js';
import { createWorker, runWorker } from '../../src/worker.js';
import { agentWith } from './agents.js';

const agent = agentWith([]);

test('a worker that finds no server says where it looked, and what to do', async () => {
  await expect(runWorker({ agents: [agent], address: '127.0.0.1:1' })).rejects.toThrow(
    /^No Temporal server answers at 127\.0\.0\.1:1\. Start one \(npx holdfast server start\)/,
  );
});

test.each([
  [[{ name: 'support' }], 'agents[0] is no agent: give what defineAgent(...) returns.'],
  [[agent, undefined], 'agents[1] is no agent: give what defineAgent(...) returns.'],
  [agent, 'agents: give a list of what defineAgent(...) returns.'],
  [[agent, agent], 'Two agents are named tester, version 1; sub-agents count, too.'],
])('a worker of what are no agents is refused by name', async (agents, message) => {
  const { connection } = await testPlace();
  const worker = createWorker({ agents: agents as unknown as Agent[], connection });
  await expect(worker).rejects.toThrow(new TypeError(message));
});
