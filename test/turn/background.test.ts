import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { Agent } from '../../src/define/define-agent.js';
import { reply, type Script, serveScriptedModel, text } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { agentWith } from './agents.js';

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
