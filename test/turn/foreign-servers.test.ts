import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { gatewayHeaders, startAimock, startGateway } from '../openai/foreign-servers.js';
import { countedTool } from './agents.js';
import { sharedWorker } from './shared-worker.js';

const look = countedTool('look', { id: z.string() }, () => 'in the store');
const ping = countedTool('ping', {});
const worker = sharedWorker([look.tool, ping.tool]);

/** Asks where something is: the server calls both tools, and knows the answer once it has their results. */
async function outcomeAt(options: OpenAiOptions) {
  look.runs.length = 0;
  const turn = await worker.start(openai({ apiKey: 'k', ...options }), 'where is it?', {
    limits: { iterations: 4 },
  });
  return await turn.result();
}

const answered = { type: 'completed', text: 'W1 is in 场 🌍.', iterations: 2 };

test.each(['chat', 'responses'] as const)('a turn runs on aimock by %s', async (api) => {
  const mock = await startAimock();
  onTestFinished(() => mock.stop().then(() => undefined));
  expect(await outcomeAt({ model: 'gpt-5.5', baseURL: `${mock.url}/v1`, api })).toMatchObject(answered);
  expect(look.runs).toEqual([{ id: 'W1' }]);
});

test("a turn runs on Anthropic's API behind Portkey's gateway", async () => {
  const [mock, gateway] = await Promise.all([startAimock(), startGateway()]);
  onTestFinished(async () => {
    gateway.stop();
    await mock.stop();
  });
  const headers = gatewayHeaders('anthropic', `${mock.url}/v1`);
  const at = { baseURL: gateway.url, headers, maxOutputTokens: 100 };
  expect(await outcomeAt({ model: 'claude-sonnet-4-5', ...at })).toMatchObject(answered);
  expect(look.runs).toEqual([{ id: 'W1' }]);
});
