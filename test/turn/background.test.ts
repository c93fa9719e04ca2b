import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { Agent } from '../../src/define/define-agent.js';
import { type Model, ModelError } from '../../src/shared/model-port.js';
import { reply, type Script, serveScriptedModel, text } from '../../src/testing/index.js';
import { testPlace, withWorker } from '../../src/testing/test-environment.js';
import { agentWith } from './agents.js';

test('what a call has begun is known to the server before the call goes on, and to the next try', async () => {
  const seen: unknown[] = [];
  const model: Model = {
    name: 'm',
    async call({ model: name }, { resume }) {
      const kept = resume?.get();
      if (kept !== undefined) {
        const usage = { inputTokens: 1 };
        return { content: [{ type: 'text', text: kept }], stopReason: 'end_turn', model: name, usage };
      }
      await resume?.set('resp_1');
      seen.push(await beatOf());
      throw new ModelError('Model.Unavailable', 'down', { retryable: true, retryAfterMs: 1 });
    },
  };
  const { client } = (await testPlace()).client;
  const turnId = `test-${randomUUID()}`;
  const beatOf = async () => {
    const { raw } = await client.workflow.getHandle(turnId).describe();
    const [payload] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
    return JSON.parse(Buffer.from(payload?.data ?? []).toString() || 'null');
  };
  const outcome = await withWorker(agentWith([], { model }), async ({ start }) =>
    (await start('hello', { turnId })).result(),
  );
  expect(seen).toMatchObject([{ resume: 'resp_1' }]);
  expect(outcome).toMatchObject({
    text: 'resp_1',
    usage: { modelCalls: 1, failedCalls: 0, unknownCalls: 0 },
  });
});

async function served(script: Script) {
  const server = await serveScriptedModel(script);
  onTestFinished(() => server.close());
  const model = openai({ baseURL: server.url, model: 'scripted', api: 'responses', background: true });
  const agent: Agent = { ...agentWith([]), model };
  return { server, agent };
}

test('a background call that its worker leaves is gone on with by another worker', async () => {
  const { server, agent } = await served([reply(text('done'), { delayMs: 3000 })]);
  const taskQueue = `test-${randomUUID()}`;
  const turn = await withWorker(
    agent,
    async ({ start }) => {
      const started = await start('hello');
      await expect.poll(() => server.responses.length, { timeout: 20_000 }).toBe(1);
      return started;
    },
    { taskQueue },
  );
  const outcome = await withWorker(agent, () => turn.result(), { taskQueue });
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  expect(server.responses).toHaveLength(1);
  expect(server.cancelled).toEqual([]);
});

test('a background call is cancelled at the provider by an interrupt of its turn', async () => {
  const { server, agent } = await served([reply(text('done'), { delayMs: Number.POSITIVE_INFINITY })]);
  const outcome = await withWorker(agent, async ({ start }) => {
    const turn = await start('hello');
    await expect.poll(() => server.responses.length, { timeout: 20_000 }).toBe(1);
    await turn.interrupt();
    return await turn.result();
  });
  expect(outcome.type).toBe('interrupted');
  expect(server.cancelled).toEqual(['resp_1']);
});
