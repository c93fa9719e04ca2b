import { afterEach, describe, expect, it, vi } from 'vitest';
import { fallback } from '../../src/activities/fallback.js';
import { limit } from '../../src/activities/limit.js';
import { openai } from '../../src/activities/openai/openai.js';
import type { Usage } from '../../src/shared/usage.js';
import { rawBytes, rawChunks, reply, text } from '../../src/testing/index.js';
import { callServed, delta, failureOf } from '../openai-chat/call-served.js';
import { callResponses, ended, item, namedEvents } from '../openai-responses/call-responses.js';

const usage: Usage = { inputTokens: 1000, outputTokens: 100 };
const script = [reply(text('hello'), { usage })];
const prices = { scripted: { input: 1, output: 5 } };

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the model without a price', () => {
  it('is the one that a call may go to, also behind limits and among several', () => {
    const known = openai({ model: 'scripted', prices });
    expect(known.unpriced?.('scripted')).toBeUndefined();
    expect(known.unpriced?.('')).toBeUndefined();
    expect(openai({ model: 'other', prices }).unpriced?.('')).toBe('other');
    expect(limit(known, { maxConcurrent: 1 }).unpriced?.('another')).toBe('another');
    const both = fallback([known, openai({ model: 'other', prices })]);
    expect(both.unpriced?.('scripted')).toBe('other');
  });
});

describe('the price of a call', () => {
  it('comes from the table of the model', async () => {
    expect((await callServed(script, { prices })).response.usage).toEqual({ ...usage, costUsd: 0.0015 });
  });

  it('comes from the environment where the model has no table', async () => {
    vi.stubEnv('HOLDFAST_PRICES', JSON.stringify(prices));
    expect((await callServed(script)).response.usage?.costUsd).toBe(0.0015);
    expect((await callServed(script, { prices: {} })).response.usage).not.toHaveProperty('costUsd');
  });

  it('takes cached input for any other where no price of it is given', async () => {
    const cached = [reply(text('hello'), { usage: { ...usage, cachedInputTokens: 1000 } })];
    expect((await callServed(cached, { prices })).response.usage?.costUsd).toBe(0.0015);
  });

  it('is found by the name that the provider gives, too', async () => {
    const chunks = [
      { ...(delta({ content: 'hi' }, 'stop') as object), model: 'scripted-2026' },
      { choices: [], usage: { prompt_tokens: 1000, completion_tokens: 100 } },
    ];
    const named = { 'scripted-2026': { input: 1, output: 5 } };
    const { response } = await callServed([rawChunks([...chunks, '[DONE]'])], { prices: named });
    expect(response.usage?.costUsd).toBe(0.0015);
  });

  it('is told of a reply that failed after its usage', async () => {
    const cut = rawChunks([{ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 100 } }]);
    const failure = await failureOf(callServed([cut], { prices }));
    expect(failure).toMatchObject({ type: 'Model.StreamCut', usage: { ...usage, costUsd: 0.0015 } });
  });

  it('is told of a response that failed, by the Responses API', async () => {
    const wire = { usage: { input_tokens: 1000, output_tokens: 100 }, error: { message: 'broke' } };
    const failed = rawBytes(namedEvents(ended('failed', [item.text('half')], wire)));
    const failure = await failureOf(callResponses([failed], { prices }));
    expect(failure.usage).toEqual({ ...usage, costUsd: 0.0015 });
  });

  it('is unknown where a stream broke before its usage', async () => {
    const failure = await failureOf(callServed([rawChunks([delta({ content: 'ha' })])], { prices }));
    expect(failure.usage).toBe('unknown');
  });

  it.each([
    ['no object', 'cheap'],
    ['a price that is none', { m: { input: 'free', output: 1 } }],
    ['a negative one', { m: { input: -1, output: 1 } }],
    ['one that lacks its output', { m: { input: 1 } }],
    ['a name that is not known', { m: { input: 1, output: 1, cached: 1 } }],
  ])('can not be %s', (_name, table) => {
    expect(() => openai({ prices: table as never })).toThrow(TypeError);
  });

  it('is a misconfiguration where the variable is no table', async () => {
    vi.stubEnv('HOLDFAST_PRICES', '{"m": 1}');
    const failure = await failureOf(callServed(script));
    expect(failure.type).toBe('Model.Misconfigured');
    expect(failure.message).toContain('HOLDFAST_PRICES');
  });
});
