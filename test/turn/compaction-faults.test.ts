import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.js';
import { fault, replay, reply, text, withWorker } from '../../src/testing/index.js';
import { agentWith, countedTool } from './agents.js';
import { sharedWorker } from './shared-worker.js';
import { type Answer, compactionsOf, lastPage, provider, readPage, talk, WINDOW } from './small-window.js';

const pageTool = countedTool('read_page', { page: z.int(), bytes: z.int() }, ({ page, bytes }) =>
  `page ${page} `.padEnd(bytes, 'x'),
).tool;
const options = { instructions: async () => 'Read.', compaction: { window: WINDOW } };
const worker = sharedWorker([pageTool], options);

const down = fault({ status: 503, headers: { 'retry-after-ms': '10' } });
const no = fault({ status: 400, body: { error: { message: 'no summary today' } } });
const usage = { inputTokens: 1_000_000, outputTokens: 1 };

describe('a turn whose provider says that it is too long', () => {
  test('waits for its summary as long as for a model call', async () => {
    let asked = 0;
    const summarise: Answer = (messages) => (++asked <= 5 ? down : text(`Up to page ${lastPage(messages)}.`));
    const { model } = await provider(talk(8), { window: 2000, summarise });
    const turn = await worker.start(model);
    const outcome = await turn.result();
    await replay(turn.turnId);
    expect(outcome).toMatchObject({ type: 'completed', usage: { failedCalls: expect.any(Number) } });
    expect((await compactionsOf(turn))[0]).toMatchObject({ trigger: 'too_long', method: 'summary' });
  });

  test('says why it could not be compacted, where it fails by that', async () => {
    const { model } = await provider(talk(8), { window: 2000, summarise: () => no });
    const turn = await worker.start(model);
    await expect(turn.result()).rejects.toMatchObject({
      type: 'Model.ContextTooLong',
      message: expect.stringMatching(
        /The conversation is too long, and could not be compacted: Model.BadRequest: .*no summary today/s,
      ),
    });
    await replay(turn.turnId);
  });
});

test.each([
  ['asked for by nobody', WINDOW],
  ['that the provider has made necessary', 2000],
])('no model is called once a compaction %s has used up the budget', async (_, window) => {
  const summarise: Answer = () => reply(text('All of it was read.'), { usage });
  const { seen, model } = await provider(talk(30), { window, summarise });
  const turn = await worker.start(model, 'Read.', { limits: { tokens: 500_000 } });
  const outcome = await turn.result();
  await replay(turn.turnId);
  expect(outcome).toMatchObject({ type: 'budget_exceeded', exceeded: { limit: 'tokens', allowed: 500_000 } });
  expect(seen.summaries).toHaveLength(1);
  expect(outcome.usage.modelCalls).toBe(seen.sizes.length + 1);
  expect(seen.sizes).toHaveLength(outcome.iterations);
});

test('a summary that is cut off is asked for once more, shorter, and then counts as none', async () => {
  let asked = 0;
  const summarise: Answer = (messages) => {
    const summary = text(`Up to page ${lastPage(messages)}.`);
    return ++asked <= 3 ? reply(summary, { finish: 'length' }) : summary;
  };
  const { model } = await provider(talk(16), { window: 20_000, summarise });
  const turn = await worker.start(model);
  expect(await turn.result()).toMatchObject({ type: 'completed' });
  const [first, second] = await compactionsOf(turn);
  expect(first).toMatchObject({ problem: expect.stringContaining('cut off') });
  expect(first).not.toHaveProperty('method');
  expect(second).toMatchObject({ method: 'summary' });
  expect(asked).toBeGreaterThanOrEqual(4);
});

test('where no artifact can be kept the record says so, and the messages are in the transcript', async () => {
  const full: ArtifactStore = {
    put: () => Promise.reject(new Error('the disk is full')),
    get: async () => undefined,
    deleteOlderThan: async () => 0,
  };
  const reading: Answer = (messages) => {
    const next = lastPage(messages) + 1;
    return next < 5 ? readPage(next, next === 0 ? 6000 : 900) : text('read');
  };
  const [cleared, summed] = [await provider(reading), await provider(talk(16))];
  const one = agentWith([pageTool], { ...options, model: cleared.model });
  const two = agentWith([pageTool], { ...options, name: 'talks', model: summed.model });
  await withWorker(
    one,
    async ({ start, client, taskQueue }) => {
      const turns = [await start('Read.'), await client.start('talks', 'Read.', { taskQueue })];
      for (const [index, turn] of turns.entries()) {
        expect(await turn.result()).toMatchObject({ type: 'completed', text: 'read' });
        const made = await compactionsOf(turn);
        expect(made[0]).toMatchObject({
          ...{ method: index === 0 ? 'cleared' : 'summary', notKept: 'the disk is full' },
        });
        expect(lastPage(await turn.transcript())).toBe(index === 0 ? 4 : 15);
      }
    },
    { artifacts: full, agents: [one, two] },
  );
});
