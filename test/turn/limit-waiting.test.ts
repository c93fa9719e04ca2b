import { expect, onTestFinished, test } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { type Script, serveScriptedModel, text } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { untilEvent } from '../interventions/ended-turn.js';
import { agentWith, gate } from './agents.js';

async function served(script: Script, limits: OpenAiOptions) {
  const server = await serveScriptedModel(script);
  onTestFinished(() => server.close());
  return { server, model: openai({ baseURL: server.url, model: 'scripted', ...limits }) };
}

test('a call that waits for another one by the limits of its worker is shown to wait', async () => {
  const [begun, released] = [gate(), gate()];
  const { model } = await served(
    [
      async () => {
        begun.open();
        await released.opened;
        return text('done');
      },
    ],
    { maxConcurrent: 1 },
  );
  await withWorker(agentWith([], { model }), async ({ start }) => {
    const first = await start('first');
    await begun.opened;
    const second = await start('second');
    const waiting = await untilEvent(second, 'limit_waiting');
    expect(waiting).not.toHaveProperty('untilAt');
    released.open();
    const outcomes = await Promise.all([first.result(), second.result()]);
    expect(outcomes.map((outcome) => outcome.text)).toEqual(['done', 'done']);
  });
});

test('a call that waits for the tokens of the next minute is shown to wait until then, and an interrupt ends it', async () => {
  const { server, model } = await served([text('done')], { tokensPerMinute: 10 });
  await withWorker(agentWith([], { model }), async ({ start }) => {
    await (await start('first '.repeat(20))).result();
    const second = await start('second '.repeat(20));
    const waiting = await untilEvent(second, 'limit_waiting');
    const waitMs = Date.parse(waiting.untilAt ?? '') - Date.parse(waiting.at);
    expect(waitMs).toBeGreaterThan(20_000);
    expect(waitMs).toBeLessThanOrEqual(60_000);
    await second.interrupt();
    expect((await second.result()).type).toBe('interrupted');
  });
  expect(server.requests).toHaveLength(1);
});
