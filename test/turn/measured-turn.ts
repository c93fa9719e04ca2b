import { expect } from 'vitest';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.js';
import type { FinishedTurn } from '../../src/client/finished-turn.js';
import type { AgentOptions, AnyTool } from '../../src/define/define-agent.js';
import { type ToolCallBlock, type ToolResultBlock, toolCallsOf } from '../../src/shared/messages.js';
import type { ScriptedModel } from '../../src/testing/index.js';
import { testPlace, withWorker } from '../../src/testing/test-environment.js';
import { replay } from '../../src/testing/test-turn.js';
import type { HoldfastWorkerOptions } from '../../src/worker.js';
import { agentWith } from './agents.js';

export const KB = 1000;
export const MB = 1000 * KB;

/** Nothing more fits into it, and nothing is there. */
export const fullStore: ArtifactStore = {
  put: () => Promise.reject(new Error('no space left')),
  get: async () => undefined,
  deleteOlderThan: async () => 0,
};

type Ended = {
  outcome: FinishedTurn;
  calls: ToolCallBlock[];
  results: ToolResultBlock[];
  /** Bytes of the event history. */
  historyBytes: number;
  ms: number;
};

/** Runs a turn to its end; nothing of it has made a workflow task fail. */
export async function run(
  model: ScriptedModel,
  tools: readonly AnyTool[],
  options: { agent?: Partial<AgentOptions>; worker?: Partial<HoldfastWorkerOptions> } = {},
): Promise<Ended> {
  const agent = agentWith(tools, { model, ...options.agent });
  return await withWorker(
    agent,
    async ({ start }) => {
      const startedAt = performance.now();
      const turn = await start('hello');
      const outcome = await turn.result();
      const ms = performance.now() - startedAt;
      const transcript = await turn.transcript();
      await replay(turn.turnId);
      return {
        outcome,
        calls: transcript.flatMap(toolCallsOf),
        results: transcript.flatMap((message) => (message.role === 'tool' ? message.content : [])),
        historyBytes: await quietHistory(turn.turnId),
        ms,
      };
    },
    options.worker,
  );
}

async function quietHistory(turnId: string): Promise<number> {
  const { client } = (await testPlace()).client;
  const handle = client.workflow.getHandle(turnId);
  const { events } = await handle.fetchHistory();
  expect((events ?? []).filter((event) => event.workflowTaskFailedEventAttributes)).toEqual([]);
  return Number((await handle.describe()).historySize ?? 0);
}
