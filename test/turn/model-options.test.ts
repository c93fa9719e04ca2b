import { expect, test } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { ModelOptions } from '../../src/shared/model-options.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { agentWith, echoTool, servedModel } from './agents.js';

const rounds = [toolCall('echo', { text: 'a' }), text('done')];
const own: ModelOptions = {
  ...{ toolChoice: 'auto', parallelToolCalls: false, temperature: 0, reasoningEffort: 'high' },
  ...{ maxOutputTokens: 50, body: { seed: 7 } },
};

test("a turn's own options go before the model's, in each of its calls", async () => {
  const { server } = await servedModel(rounds);
  const options = { temperature: 1, parallelToolCalls: true, body: { seed: 1, user: 'u' } };
  const model = openai({ baseURL: server.url, model: 'scripted', ...options });
  await testTurn(agentWith([echoTool().tool]), 'hello', { model, modelOptions: own });
  const wanted = {
    ...{ temperature: 0, parallel_tool_calls: false, tool_choice: 'auto', reasoning_effort: 'high' },
    ...{ max_tokens: 50, seed: 7, user: 'u' },
  };
  expect(server.requests.map(({ body }) => body)).toMatchObject([wanted, wanted]);
});

test("a turn's own options go out by the Responses API, too", async () => {
  const { server } = await servedModel([text('done')]);
  const model = openai({ baseURL: server.url, model: 'scripted', api: 'responses', temperature: 1 });
  await testTurn(agentWith([echoTool().tool]), 'hello', { model, modelOptions: own });
  expect(server.responses[0]?.body).toMatchObject({
    ...{ temperature: 0, parallel_tool_calls: false, tool_choice: 'auto', reasoning: { effort: 'high' } },
    ...{ max_output_tokens: 50, seed: 7 },
  });
});

test('any model is told of them', async () => {
  const model = scriptedModel([reply(text('done'))]);
  await testTurn(agentWith([]), 'hello', { model, modelOptions: { temperature: 0.5 } });
  expect(model.requests[0]?.options).toEqual({ temperature: 0.5 });
});

test.each([
  ['a name that is not known', { temprature: 1 }, 'modelOptions.temprature: is not known'],
  ['a value that is none', { maxOutputTokens: 0 }, 'modelOptions.maxOutputTokens: expected a whole number'],
  ['another choice', { toolChoice: 'any' }, 'modelOptions.toolChoice: expected "none" or "auto"'],
  ['too much', { body: { x: 'y'.repeat(20_000) } }, 'modelOptions: expected 16000 bytes of JSON at most'],
])('%s is refused at the start', async (_name, modelOptions, problem) => {
  const model = scriptedModel([text('done')]);
  const started = testTurn(agentWith([]), 'hello', { model, modelOptions: modelOptions as never });
  await expect(started).rejects.toThrow(problem);
});
