import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.js';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testPlace, withWorker } from '../../src/testing/test-environment.js';
import { agentWith, countedTool, gate } from './agents.js';

type Slow = 'put' | 'get';

/** A store in memory that waits before it answers when it is asked so for the `nth` time. */
function slowStore(slow: Slow, nth: number) {
  let times = 0;
  const [asked, released] = [gate(), gate()];
  const kept = new Map<string, Uint8Array>();
  const wait = async (what: Slow) => {
    if (what !== slow || ++times !== nth) return;
    asked.open();
    await released.opened;
  };
  const store: ArtifactStore = {
    async put(name, content) {
      await wait('put');
      if (content instanceof Uint8Array) kept.set(name, content);
    },
    async get(name) {
      await wait('get');
      return kept.get(name);
    },
    deleteOlderThan: async () => 0,
  };
  return { store, asked: asked.opened, release: released.open };
}

/** Resolves when what runs of the turn has shown that it is alive since now. */
async function untilBeat(turnId: string): Promise<void> {
  const { client } = (await testPlace()).client;
  const since = Date.now();
  await vi.waitFor(
    async () => {
      const { raw } = await client.workflow.getHandle(turnId).describe();
      const [running] = raw.pendingActivities ?? [];
      expect(Number(running?.lastHeartbeatTime?.seconds ?? 0) * 1000).toBeGreaterThan(since);
    },
    { timeout: 20_000, interval: 50 },
  );
}

test.each([
  ['keeps big arguments', 'put', 1],
  ['is asked for them by the tool', 'get', 1],
  ['is asked for them by the next model call', 'get', 2],
] as const)(
  'a call beats while a slow artifact store %s, so that it is not taken for lost',
  async (_, slow, nth) => {
    const { store, asked, release } = slowStore(slow, nth);
    const { tool, runs } = countedTool('take', { body: z.string() });
    const model = scriptedModel([toolCall('take', { body: 'x'.repeat(900_000) }), text('done')]);
    const agent = agentWith([tool], { model });
    const use = async (turn: { turnId: string; result(): Promise<{ text: string }> }) => {
      await asked;
      await untilBeat(turn.turnId);
      release();
      return await turn.result();
    };
    const outcome = await withWorker(agent, async ({ start }) => use(await start('hello')), {
      artifacts: store,
    });
    expect(outcome.text).toBe('done');
    expect(runs).toHaveLength(1);
    expect(model.requests).toHaveLength(2);
  },
);
