import { afterEach, describe, expect, it } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { chatBody } from '../../src/activities/openai-chat/chat-body.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import { type ServedModel, serveScriptedModel, text } from '../../src/testing/index.js';
import { contextWith } from '../openai-responses/call-responses.js';
import { failureOf, requestOf } from './call-served.js';

let server: ServedModel | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
const look = { name: 'look', description: 'Looks.', schema };

async function bodyOf(request: Partial<ModelRequest>, options: OpenAiOptions): Promise<unknown> {
  server = await serveScriptedModel([text('hello')]);
  await openai({ baseURL: server.url, ...options }).call({ ...requestOf(), ...request }, contextWith());
  expect(server.refusals).toEqual([]);
  return server.requests[0]?.body;
}

describe('a Chat Completions request', () => {
  it('carries the options of the model and of the request', async () => {
    const body = await bodyOf(
      { tools: [{ ...look, strict: true }], output: { name: 'answer', schema, strict: true } },
      {
        structuredOutput: true,
        strictTools: true,
        toolChoice: { name: 'look' },
        parallelToolCalls: false,
        temperature: 0,
        reasoningEffort: 'low',
        maxOutputTokens: 99,
        body: { seed: 7, stream_options: null },
      },
    );
    expect(body).toMatchObject({
      tools: [{ function: { name: 'look', strict: true } }],
      tool_choice: { type: 'function', function: { name: 'look' } },
      parallel_tool_calls: false,
      temperature: 0,
      reasoning_effort: 'low',
      max_tokens: 99,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
      seed: 7,
    });
    expect(body).not.toHaveProperty('stream_options');
  });

  it("has the request's tool choice before the model's", async () => {
    expect(await bodyOf({ tools: [look], toolChoice: 'none' }, { toolChoice: 'required' })).toMatchObject({
      tool_choice: 'none',
    });
  });

  it('says nothing of tools without any, and nothing that was not asked for', async () => {
    const body = await bodyOf({}, { toolChoice: 'required', parallelToolCalls: true });
    expect(Object.keys(body ?? {}).sort()).toEqual(['messages', 'model', 'stream', 'stream_options']);
  });

  it("calls the output limit as OpenAI's newer models want it, at OpenAI", () => {
    const limited = chatBody(requestOf(), { apiKey: 'k' }, { maxOutputTokens: 9 });
    expect(limited).toMatchObject({ max_completion_tokens: 9 });
    expect(limited).not.toHaveProperty('max_tokens');
  });
});

describe('an address', () => {
  const ask = (baseURL: string) =>
    failureOf(openai({ baseURL, apiKey: 'k' }).call(requestOf(), contextWith()));

  it.each(['http://localhost:1/v1/chat/completions', 'http://localhost:1/v1/responses/'])(
    'that names one endpoint is refused with what to set: %s',
    async (baseURL) => {
      const failure = await ask(baseURL);
      expect(failure).toMatchObject({ type: 'Model.Misconfigured', retryable: false });
      expect(failure.message).toContain('/v1');
    },
  );

  it('whose port no fetch would use is refused at once', async () => {
    const failure = await ask('http://127.0.0.1:6000/v1');
    expect(failure).toMatchObject({ type: 'Model.Misconfigured', retryable: false });
    expect(failure.message).toContain('bad port');
  });

  it('of no server is tried again', async () => {
    expect(await ask('http://nowhere.invalid/v1')).toMatchObject({
      type: 'Model.Connection',
      retryable: true,
    });
  });
});
