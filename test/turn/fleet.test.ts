import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import { fault, type Script, text } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { agentWith, servedModel } from './agents.js';

const CALL_MS = 30;

/** Refuses calls above so many at once, as providers do. */
function crowdedScript(most: number) {
  const seen = { refused: 0, answered: 0, startedAt: [] as number[] };
  let running = 0;
  const script: Script = [
    async () => {
      seen.startedAt.push(performance.now());
      if (running >= most) {
        seen.refused += 1;
        return fault({ status: 429, retryAfter: '0.2' });
      }
      running += 1;
      await setTimeout(CALL_MS);
      running -= 1;
      seen.answered += 1;
      return text('done');
    },
  ];
  return { script, seen };
}

const turns = (count: number) => Array.from({ length: count }, (_, index) => `turn ${index}`);

test('turns at once that share a limit of calls never run into the provider', async () => {
  const { script, seen } = crowdedScript(4);
  const { server } = await servedModel(script);
  const model = openai({ baseURL: server.url, model: 'crowded', maxConcurrent: 4 });
  await withWorker(agentWith([], { model }), async ({ start }) => {
    const outcomes = await Promise.all(
      turns(30).map(async (prompt) => (await (await start(prompt)).result()).type),
    );
    expect(new Set(outcomes)).toEqual(new Set(['completed']));
    expect(seen).toMatchObject({ refused: 0, answered: 30 });
  });
});

test('turns of workers that share no limit are held back by the provider, and none fails', async () => {
  const { script, seen } = crowdedScript(4);
  const { server } = await servedModel(script);
  // Under another name, as another process has a limit of its own.
  const agents = ['one', 'other'].map((model) =>
    agentWith([], { model: openai({ baseURL: server.url, model, maxConcurrent: 4 }) }),
  );
  const outcomes = agents.map((agent) =>
    withWorker(agent, async ({ start }) => {
      const started = await Promise.all(turns(10).map((prompt) => start(prompt)));
      return await Promise.all(started.map(async (turn) => (await turn.result()).type));
    }),
  );
  expect(new Set((await Promise.all(outcomes)).flat())).toEqual(new Set(['completed']));
  expect(seen.answered).toBe(20);
});

test("a fleet's calls are spread over time by Temporal's limit of the task queue", async () => {
  const { script, seen } = crowdedScript(100);
  const { model } = await servedModel(script);
  const options = { worker: { maxTaskQueueActivitiesPerSecond: 5 } };
  await withWorker(
    agentWith([], { model }),
    async ({ start }) => {
      const started = await Promise.all(turns(15).map((prompt) => start(prompt)));
      await Promise.all(started.map((turn) => turn.result()));
      const took = Math.max(...seen.startedAt) - Math.min(...seen.startedAt);
      // At five a second the last of fifteen has to wait for nearly three; without the limit all take a moment.
      expect(took).toBeGreaterThan(1500);
    },
    options,
  );
});
