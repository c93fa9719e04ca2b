import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { fallback } from '../../src/activities/fallback.js';
import { openai } from '../../src/activities/openai/openai.js';
import { TurnFailed } from '../../src/client/errors.js';
import type { Model } from '../../src/shared/model-port.js';
import type { TurnOutcome } from '../../src/shared/turn.js';
import {
  attempts,
  fault,
  rawBytes,
  rawChunks,
  reply,
  scriptedModel,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { delta } from '../openai-chat/call-served.js';
import { long } from '../support/long.js';
import { agentWith, echoTool, heldReply, servedModel } from './agents.js';

const told = (inputTokens: number, outputTokens = 1) => ({ usage: { inputTokens, outputTokens } });
const wireUsage = (tokens: number) => ({
  choices: [],
  usage: { prompt_tokens: tokens, completion_tokens: 1 },
});
const cutBeforeText = rawChunks([wireUsage(100)]);
const cutAfterUsage = rawChunks([delta({ content: 'half' }), wireUsage(100)]);

async function usageOf(model: Model): Promise<TurnOutcome['usage']> {
  return (await testTurn(agentWith([echoTool().tool]), 'hello', { model })).outcome.usage;
}

async function usageOfFailed(model: Model): Promise<TurnOutcome['usage'] | undefined> {
  const error = await testTurn(agentWith([]), 'hello', { model }).catch((thrown: unknown) => thrown);
  if (error instanceof TurnFailed) return error.outcome?.usage;
  throw error;
}

describe("a turn's usage", () => {
  test('is the sum over its model calls, of each kind of token', async () => {
    const usage = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 2 };
    const model = scriptedModel([
      reply(toolCall('echo', { text: 'a' }), { usage }),
      reply(text('done'), { usage }),
    ]);
    expect(await usageOf(model)).toMatchObject({
      ...{ inputTokens: 20, cachedInputTokens: 8, outputTokens: 10, reasoningTokens: 4 },
      ...{ modelCalls: 2, failedCalls: 0, unknownCalls: 0 },
    });
  });

  // D18
  test('counts calls that told none as unknown', async () => {
    const model = scriptedModel([
      reply(toolCall('echo', { text: 'a' }), { usage: null }),
      reply(text('done'), told(7)),
    ]);
    expect(await usageOf(model)).toMatchObject({ inputTokens: 7, modelCalls: 2, unknownCalls: 1 });
  });

  // FA-063
  test('has what an empty reply has cost before the model was asked again', async () => {
    const model = scriptedModel([attempts(reply(told(30)), reply(text('done'), told(7)))]);
    expect(await usageOf(model)).toMatchObject({ inputTokens: 37, modelCalls: 1, failedCalls: 1 });
  });

  test.runIf(long)(
    'has what a stream told before it was cut, over several tries, whatever they came to',
    async () => {
      const { model } = await servedModel([
        attempts(
          cutAfterUsage,
          fault({ status: 429, retryAfter: '0.01' }),
          fault({ cut: 'clean', afterChars: 20 }),
          reply(text('done'), told(7)),
        ),
      ]);
      expect(await usageOf(model)).toMatchObject({
        ...{ inputTokens: 107, modelCalls: 1, failedCalls: 3, unknownCalls: 1 },
      });
    },
  );

  test('has what the first of several models told, where the last of them failed without a word', async () => {
    const { model: first } = await servedModel([cutBeforeText]);
    const refused = fault({ status: 429, retryAfter: '0.01' });
    const second = scriptedModel([attempts(refused, reply(text('done'), told(7)))], { name: 'second' });
    const usage = await usageOf(fallback([first, second]));
    expect(usage).toMatchObject({ inputTokens: 107, modelCalls: 1, failedCalls: 2, unknownCalls: 0 });
  });

  test('counts each request that came to nothing, of whichever try', async () => {
    const down = fault({ status: 503, retryAfter: '0.01' });
    const { model: first } = await servedModel([attempts(down, down, text('done'))]);
    const second = scriptedModel([down], { name: 'second' });
    const usage = await usageOf(fallback([first, second]));
    expect(usage).toMatchObject({ modelCalls: 1, failedCalls: 4, unknownCalls: 0 });
  });

  test('counts half of a body as unknown', async () => {
    const half = rawBytes(['{"choices":[{"mess'], { headers: { 'content-type': 'application/json' } });
    const { model } = await servedModel([attempts(half, text('done'))]);
    expect(await usageOf(model)).toMatchObject({ modelCalls: 1, failedCalls: 1, unknownCalls: 1 });
  });

  test('has nothing of a call that was interrupted while it waited for its turn', async () => {
    const held = heldReply('done');
    const { server } = await servedModel([held.entry]);
    const model = openai({ baseURL: server.url, model: 'waited-for', maxConcurrent: 1 });
    await withWorker(agentWith([], { model }), async ({ start, client }) => {
      const first = await start('first');
      await held.asked;
      const second = await start('second');
      const began = async () => {
        const { raw } = await client.client.workflow.getHandle(second.turnId).describe();
        return raw.pendingActivities?.[0]?.lastHeartbeatTime ?? undefined;
      };
      await expect.poll(began, { timeout: 20_000 }).toBeDefined();
      await second.interrupt();
      expect((await second.result()).usage).toMatchObject({ modelCalls: 0, failedCalls: 1, unknownCalls: 0 });
      held.answer();
      await first.result();
    });
  });

  test('knows of a try that the provider refused that it cost nothing', async () => {
    const { model } = await servedModel([attempts(fault({ status: 503, retryAfter: '0.01' }), text('done'))]);
    expect(await usageOf(model)).toMatchObject({ modelCalls: 1, failedCalls: 1, unknownCalls: 0 });
  });

  test('is in the outcome of a turn whose model failed for good', async () => {
    const model = scriptedModel([attempts(reply(told(30)), reply(told(40)))]);
    expect(await usageOfFailed(model)).toMatchObject({ inputTokens: 70, modelCalls: 0, failedCalls: 2 });
  });

  test('has what a model told that failed before another one answered', async () => {
    const { model } = await servedModel([cutBeforeText]);
    const good = scriptedModel([reply(text('done'), told(7))]);
    expect(await usageOf(fallback([model, good]))).toMatchObject({ inputTokens: 107, modelCalls: 1 });
  });

  test('has what a reply has cost that is too large for Temporal', async () => {
    const model = scriptedModel([reply(text('x'.repeat(2_100_000)), told(30))], { pieceChars: 100_000 });
    expect(await usageOfFailed(model)).toMatchObject({ inputTokens: 30, failedCalls: 1 });
  });

  test('counts an interrupted call as unknown', async () => {
    const model = scriptedModel([text('one word after another')], { pieceDelayMs: 10_000 });
    await withWorker(agentWith([], { model }), async ({ start }) => {
      const turn = await start('hello');
      while (model.requests.length === 0) await setTimeout(10);
      await turn.interrupt();
      const { usage } = await turn.result();
      expect(usage).toMatchObject({ modelCalls: 0, failedCalls: 1, unknownCalls: 1 });
    });
  });
});

describe('the cost of a turn', () => {
  const prices = { scripted: { input: 2, cachedInput: 0.5, output: 10 } };
  const usage = { inputTokens: 1_000_000, cachedInputTokens: 400_000, outputTokens: 100_000 };

  test('is known where each call has a price', async () => {
    const { server } = await servedModel([
      attempts(reply({ usage }), reply(toolCall('echo', { text: 'a' }), { usage })),
      reply(text('done'), { usage }),
    ]);
    const model = openai({ baseURL: server.url, model: 'scripted', prices });
    // Of one: 0.6 million at 2, 0.4 million at 0.5, 0.1 million at 10.
    expect(await usageOf(model)).toMatchObject({ costUsd: 7.2, unpricedCalls: 0, failedCalls: 1 });
  });

  test('is not told where one call has none, and how many those were is', async () => {
    const { server } = await servedModel([
      reply(toolCall('echo', { text: 'a' }), { usage }),
      reply(text('done'), { usage: null }),
    ]);
    const model = openai({ baseURL: server.url, model: 'scripted', prices });
    const sum = await usageOf(model);
    expect(sum).toMatchObject({ unpricedCalls: 1 });
    expect(sum).not.toHaveProperty('costUsd');
  });

  test('is in the events and the state', async () => {
    const { server } = await servedModel([reply(text('done'), { usage })]);
    const model = openai({ baseURL: server.url, model: 'scripted', prices });
    await withWorker(agentWith([], { model }), async ({ start }) => {
      const turn = await start('hello');
      const costs: unknown[] = [];
      for await (const event of turn.events()) if (event.type === 'message') costs.push(event.usage?.costUsd);
      expect(costs).toEqual([2.4]);
      expect((await turn.state()).usage.costUsd).toBe(2.4);
    });
  });
});
