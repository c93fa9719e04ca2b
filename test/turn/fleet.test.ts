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

/** Refuses calls above so many in a second, as providers do. */
function limitingScript(most: number) {
  const seen = { refused: 0, answered: 0 };
  let window: number[] = [];
  const script: Script = [
    () => {
      const now = performance.now();
      window = window.filter((at) => at > now - 1000);
      if (window.length >= most) {
        seen.refused += 1;
        return fault({ status: 429, retryAfter: '0.5' });
      }
      window.push(now);
      seen.answered += 1;
      return text('done');
    },
  ];
  return { script, seen };
}

test("a hundred turns at once stay below a provider's rate by Temporal's limit of the task queue", async () => {
  const { script, seen } = limitingScript(60);
  const { model } = await servedModel(script);
  await withWorker(
    agentWith([], { model }),
    async ({ start }) => {
      const started = await Promise.all(turns(100).map((prompt) => start(prompt)));
      const outcomes = await Promise.all(started.map(async (turn) => (await turn.result()).type));
      expect(new Set(outcomes)).toEqual(new Set(['completed']));
      expect(seen).toEqual({ refused: 0, answered: 100 });
    },
    { worker: { maxTaskQueueActivitiesPerSecond: 25 } },
  );
});

test('a hundred turns at once without any limit are held back by the provider, and none fails', async () => {
  const { script, seen } = limitingScript(40);
  const { model } = await servedModel(script);
  await withWorker(agentWith([], { model }), async ({ start }) => {
    const started = await Promise.all(turns(100).map((prompt) => start(prompt)));
    const outcomes = await Promise.all(started.map(async (turn) => (await turn.result()).type));
    expect(new Set(outcomes)).toEqual(new Set(['completed']));
    expect(seen.answered).toBe(100);
  });
});
