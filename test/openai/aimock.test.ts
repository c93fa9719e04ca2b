import type { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { Message } from '../../src/shared/messages.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import { failureOf, requestOf } from '../openai-chat/call-served.js';
import { contextWith } from '../openai-responses/call-responses.js';
import { afterLook, look, ping, said, startAimock } from './foreign-servers.js';

let mock: LLMock;
beforeAll(async () => {
  mock = await startAimock();
});
afterAll(() => mock.stop());

const schema = {
  type: 'object',
  properties: { a: { type: 'number' } },
  required: ['a'],
  additionalProperties: false,
};

describe.each([
  ['chat', true],
  ['chat', false],
  ['responses', true],
  ['responses', false],
] as const)('aimock, by %s, stream: %s,', (api, stream) => {
  const ask = (messages: Message[], more: Partial<ModelRequest> = {}, onText = (_text: string) => {}) => {
    const options = { model: 'gpt-5.5', baseURL: `${mock.url}/v1`, apiKey: 'k', api, stream };
    const model = openai({ ...options, structuredOutput: true });
    return model.call({ ...requestOf(messages), model: 'gpt-5.5', ...more }, contextWith({ onText }));
  };

  it('is understood: reasoning, text and calls', async () => {
    expect(await ask([said('where')])).toMatchObject({
      stopReason: 'tool_use',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_call', ...look },
        { type: 'tool_call', ...ping },
      ],
    });
  });

  it('is understood: the round after the calls', async () => {
    // A reasoning model's reply begins with an encrypted item, of which nothing is shown.
    const { content } = await ask(afterLook);
    expect(content.at(-1)).toEqual({ type: 'text', text: 'W1 is in 场 🌍.' });
  });

  it('is understood: its text comes in pieces where it streams', async () => {
    const pieces: string[] = [];
    const { content } = await ask(afterLook, {}, (text) => pieces.push(text));
    expect(content.at(-1)).toMatchObject({ text: pieces.join('') });
    expect(pieces.length > 1).toBe(stream);
  });

  it('is understood: the output limit', async () => {
    expect((await ask([said('long')])).stopReason).toBe('max_tokens');
  });

  it('is understood: structured output', async () => {
    const { content } = await ask([said('json')], { output: { name: 'answer', schema, strict: true } });
    expect(content.at(-1)).toMatchObject({ text: '{"a":1}' });
  });

  it.each([
    ['empty', { type: 'Model.EmptyReply', retryable: true }],
    ['limited', { type: 'Model.RateLimited', retryAfterMs: 3000 }],
    ['too much', { type: 'Model.ContextTooLong', retryable: false }],
    ['garbage', { type: 'Model.BadResponse', retryable: true }],
    ['nobody knows this', { type: 'Model.NotFound', retryable: false }],
  ])('fails as it should: %s', async (text, expected) => {
    expect(await failureOf(ask([said(text)]))).toMatchObject(expected);
  });

  it.runIf(stream)('is not believed where its stream is cut', async () => {
    const { type, retryable } = await failureOf(ask([said('cut')]));
    expect(['Model.StreamCut', 'Model.Connection']).toContain(type);
    expect(retryable).toBe(true);
  });
});
