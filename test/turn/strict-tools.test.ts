import { expect, test } from 'vitest';
import { z } from 'zod';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { scriptedModel, text } from '../../src/testing/index.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { agentWith, countedTool, servedModel } from './agents.js';

const closed = countedTool('closed', { amount: z.number(), note: z.string().nullable() }).tool;
const open = countedTool('open', { amount: z.number(), note: z.string().optional() }).tool;

/** What the provider is told of each tool: by either API, in the order of the tools. */
async function strictOf(options: OpenAiOptions) {
  const { server, model } = await servedModel([text('done')], options);
  await testTurn(agentWith([closed, open]), 'hello', { model });
  expect(server.refusals).toEqual([]);
  const chat = server.requests[0]?.body.tools?.map((tool) => tool.function.strict);
  return chat ?? server.responses[0]?.body.tools?.map((tool) => tool.strict);
}

// O25
test.each(['chat', 'responses'] as const)(
  'by %s, a tool is strict where its schema and the provider allow it',
  async (api) => {
    const not = api === 'chat' ? undefined : false;
    expect(await strictOf({ api, strictTools: true })).toEqual([true, not]);
  },
);

test.each(['chat', 'responses'] as const)(
  'by %s, no tool is strict at a server that nothing is known of',
  async (api) => {
    const not = api === 'chat' ? undefined : false;
    expect(await strictOf({ api })).toEqual([not, not]);
  },
);

test("a model of one's own is told which tools are strict", async () => {
  const model = scriptedModel([text('done')]);
  await testTurn(agentWith([closed, open]), 'hello', { model });
  expect(model.requests[0]?.tools.map(({ strict }) => strict)).toEqual([true, undefined]);
});
