import { describe, expect, it } from 'vitest';
import { MAX_RETRY_AFTER_MS, retryAfterMs } from '../../src/activities/openai/retry-after.js';
import type { Json } from '../../src/shared/json.js';
import {
  type FaultOptions,
  fault,
  rawBytes,
  rawChunks,
  serveScriptedModel,
  text,
} from '../../src/testing/index.js';
import { callServed, delta, failureOf } from './call-served.js';

const failure = (options: FaultOptions) =>
  failureOf(callServed([fault(options)], { apiKey: 'sk-very-secret-key' }));
const error = (body: Json): Json => ({ error: body });

describe('an error answer', () => {
  it.each([
    [401, 'Model.Authentication', false],
    [402, 'Model.QuotaExceeded', false],
    [403, 'Model.PermissionDenied', false],
    [404, 'Model.NotFound', false],
    [400, 'Model.BadRequest', false],
    [413, 'Model.BadRequest', false],
    [422, 'Model.BadRequest', false],
    [408, 'Model.Timeout', true],
    [409, 'Model.Unavailable', true],
    [429, 'Model.RateLimited', true],
    [500, 'Model.Unavailable', true],
    [502, 'Model.Unavailable', true],
    [503, 'Model.Overloaded', true],
    [504, 'Model.Unavailable', true],
    [529, 'Model.Overloaded', true],
    [599, 'Model.Unavailable', true],
  ])('of status %i is %s', async (status, type, retryable) => {
    expect(await failure({ status })).toMatchObject({ type, retryable });
    expect(await failure({ status, body: 'plain words' })).toMatchObject({ type, retryable });
    expect(await failure({ status, body: '' })).toMatchObject({ type, retryable });
  });

  const tooLong = "This model's maximum context length is 8192 tokens.";
  it.each([
    ['a code', 400, error({ message: 'Too long.', code: 'context_length_exceeded' }), 'Model.ContextTooLong'],
    ['its text', 400, error({ message: tooLong, code: null }), 'Model.ContextTooLong'],
    [
      'its text, at the top of the body',
      400,
      { object: 'error', message: tooLong, code: 400 },
      'Model.ContextTooLong',
    ],
    ['plain text', 400, tooLong, 'Model.ContextTooLong'],
    ['a quota code', 429, error({ message: 'No.', code: 'insufficient_quota' }), 'Model.QuotaExceeded'],
    ['a quota type', 429, error({ message: 'No.', type: 'insufficient_quota' }), 'Model.QuotaExceeded'],
    [
      'a limit by the minute',
      429,
      error({ message: 'You exceeded your current quota' }),
      'Model.RateLimited',
    ],
    ['an overload', 500, error({ type: 'overloaded_error', message: 'Overloaded' }), 'Model.Overloaded'],
  ])('is told by %s', async (_name, status, body, type) => {
    expect(await failure({ status, body })).toMatchObject({ type });
  });

  it.each([
    ['error.message', error({ message: 'the oven is cold' })],
    ['error as text', error('the oven is cold')],
    ['message', { message: 'the oven is cold' }],
    ['detail', { detail: 'the oven is cold' }],
    ['a list', [error({ message: 'the oven is cold' })]],
    ['plain text', 'the oven is cold'],
  ])('shows what the provider said in %s', async (_name, body) => {
    expect((await failure({ status: 400, body })).message).toContain('the oven is cold');
  });

  it('says what to do next', async () => {
    expect((await failure({ status: 401 })).message).toContain('OPENAI_API_KEY');
    expect((await failure({ status: 404 })).message).toContain('OPENAI_BASE_URL');
  });

  it('never shows a key, and is short whatever came', async () => {
    const leak = 'Bearer abc123 sk-very-secret-key sk-proj-ABCDEF123456 ';
    for (const body of [leak.repeat(1000), error({ message: leak.repeat(1000) })]) {
      const { message, stack, cause } = await failure({ status: 401, body });
      expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2048);
      expect(`${message} ${stack}`).not.toMatch(/secret|abc123|ABCDEF/);
      expect(cause).toBeUndefined();
    }
  });

  it('of an HTML page shows its title only', async () => {
    const body = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';
    const { message } = await failure({ status: 502, body });
    expect(message).toContain('502 Bad Gateway');
    expect(message).not.toContain('<');
  });

  it.each([
    ['Rate limit reached. Please try again in 1.2s.', 1200],
    ['Please try again in 250ms', 250],
    ['You exceeded your current quota. Please retry in 34.07s.', 34_070],
    ['Retry after 5 seconds', 5000],
    ['Please retry in 99999 seconds', MAX_RETRY_AFTER_MS],
    ['Try again later', undefined],
  ])('carries how long to wait where only its text says so: %s', async (message, retryAfterMs) => {
    expect(await failure({ status: 429, body: error({ message }) })).toMatchObject({ retryAfterMs });
  });

  it('of an account that is out of credit is not retried, whatever its header says', async () => {
    const body = error({
      message: 'You exceeded your current quota, please check your plan.',
      type: 'insufficient_quota',
    });
    expect(await failure({ status: 429, body, retryAfter: 1 })).toMatchObject({
      type: 'Model.QuotaExceeded',
      retryable: false,
    });
  });

  it('carries how long to wait', async () => {
    expect(await failure({ status: 429, retryAfter: 2 })).toMatchObject({ retryAfterMs: 2000 });
    expect(await failure({ status: 503, headers: { 'retry-after-ms': '250' } })).toMatchObject({
      retryAfterMs: 250,
    });
    expect(await failure({ status: 429 })).toMatchObject({ retryAfterMs: undefined });
  });
});

describe('a conversation that is too long', () => {
  it.each([
    [
      'OpenAI',
      400,
      { message: 'Your input exceeds the context window of this model.', code: 'context_length_exceeded' },
    ],
    [
      'OpenAI, older',
      400,
      { message: "This model's maximum context length is 8192 tokens. However, you requested 9000." },
    ],
    [
      'Anthropic',
      400,
      { message: 'prompt is too long: 210000 tokens > 200000 maximum', type: 'invalid_request_error' },
    ],
    [
      'Anthropic, with the output',
      400,
      { message: 'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000' },
    ],
    [
      'vLLM',
      400,
      { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.' },
    ],
    [
      'vLLM, newer',
      400,
      {
        message:
          "You passed 9001 input tokens and requested 100 output tokens. However, the model's context length is only 8192 tokens",
      },
    ],
    [
      'llama.cpp',
      400,
      {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
      },
    ],
    [
      'llama.cpp, older',
      500,
      {
        code: 500,
        message: 'the request exceeds the available context size. try increasing the context size',
        type: 'server_error',
      },
    ],
    [
      'Ollama',
      400,
      { message: 'the input length exceeds the context length', type: 'invalid_request_error' },
    ],
    [
      'OpenRouter',
      400,
      {
        code: 400,
        message:
          "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens",
      },
    ],
    [
      'Gemini',
      400,
      {
        code: 400,
        message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        status: 'INVALID_ARGUMENT',
      },
    ],
    [
      'Mistral',
      400,
      {
        message:
          'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
      },
    ],
    ['Bedrock', 400, { message: 'Input is too long for requested model.' }],
    [
      'LM Studio',
      400,
      {
        message:
          'Trying to keep the first 9000 tokens when context the overflows. The number of tokens to keep from the initial prompt is greater than the context length.',
      },
    ],
    [
      'Kimi',
      400,
      {
        message: 'Invalid request: Your request exceeded model token limit: 262144',
        type: 'invalid_request_error',
      },
    ],
  ])('is told by %s', async (_name, status, body) => {
    expect(await failure({ status, body: error(body) })).toMatchObject({
      type: 'Model.ContextTooLong',
      retryable: false,
    });
  });

  it('is no limit of tokens by the minute', async () => {
    const message =
      'Request too large for gpt-5: Limit 30000 tokens per min (TPM), Requested 40000. The input or output tokens must be reduced.';
    expect(
      await failure({ status: 429, body: error({ message, code: 'rate_limit_exceeded' }) }),
    ).toMatchObject({ type: 'Model.RateLimited' });
  });
});

describe('an answer that is no model', () => {
  const page = '<!DOCTYPE html><html><head><title>Open WebUI</title></head><body></body></html>';
  const html = { headers: { 'content-type': 'text/html' } };

  it('of a web page is asked for twice at most, and says what the address should be', async () => {
    const failed = await failureOf(callServed([rawBytes([page], html)]));
    expect(failed).toMatchObject({ type: 'Model.BadResponse', retryable: true, maxAttempts: 2 });
    expect(failed.message).toContain('Is OPENAI_BASE_URL right? It usually ends in /v1.');
    expect(failed.message).toContain('Open WebUI');
  });

  it.each([404, 405])('of status %i is final, and says so, too', async (status) => {
    const failed = await failure({ status, body: page });
    expect(failed.retryable).toBe(false);
    expect(failed.message).toContain('OPENAI_BASE_URL');
  });

  it('of a server without that endpoint is final', async () => {
    const body = JSON.stringify({ error: 'Unexpected endpoint or method. (POST /chat/completions)' });
    const raw = rawBytes([body], { headers: { 'content-type': 'application/json' } });
    expect(await failureOf(callServed([raw]))).toMatchObject({ type: 'Model.NotFound', retryable: false });
  });
});

describe('an error inside of a 200', () => {
  const json = { headers: { 'content-type': 'application/json' } };

  it.each([
    ['a known type', { message: 'No.', type: 'invalid_request_error' }, 'Model.BadRequest', false],
    ['a status as code', { message: 'No.', code: 429 }, 'Model.RateLimited', true],
    ['a status as text', { message: 'No.', code: '502' }, 'Model.Unavailable', true],
    ['a server error', { message: 'No.', type: 'server_error' }, 'Model.Unavailable', true],
    ['an overload', { message: 'Overloaded', type: 'overloaded_error' }, 'Model.Overloaded', true],
    ['a context length', { message: 'maximum context length is 10' }, 'Model.ContextTooLong', false],
    ['words alone', 'the oven is cold', 'Model.Failed', true],
  ])(
    'with %s is classified, as a body, as the first and as a later event',
    async (_name, inner, type, retryable) => {
      const frame = error(inner);
      const answers = [
        rawBytes([JSON.stringify(frame)], json),
        rawChunks([frame]),
        rawChunks([delta({ content: 'hel' }), frame, delta({ content: 'lo' }, 'stop'), '[DONE]']),
        rawBytes([`event: error\ndata: ${JSON.stringify(inner)}\n\n`]),
        rawBytes([`error: ${JSON.stringify(frame)}\n\n`]),
      ];
      for (const answer of answers) {
        expect(await failureOf(callServed([answer]))).toMatchObject({ type, retryable });
      }
    },
  );

  it.each([
    [
      'an HTML page',
      rawBytes(['<html><title>Log in</title></html>'], { headers: { 'content-type': 'text/html' } }),
    ],
    ['half of a JSON body', rawBytes(['{"choices":[{"mess'], json)],
    ['JSON of another kind', rawBytes(['{"hello":"world"}'], json)],
    ['nothing', rawBytes([], json)],
    ['an event that is no JSON', rawBytes(['data: hello\n\n'])],
  ])('that is %s is a bad response, retryable', async (_name, answer) => {
    const failed = await failureOf(callServed([answer]));
    expect(failed).toMatchObject({ type: 'Model.BadResponse', retryable: true });
  });
});

describe('a connection', () => {
  it('that is refused is retryable, and names its code', async () => {
    const gone = await serveScriptedModel([]);
    await gone.close();
    const failed = await failureOf(callServed([text('hello')], { baseURL: gone.url }));
    expect(failed).toMatchObject({ type: 'Model.Connection', retryable: true });
    expect(failed.message).toContain('ECONNREFUSED');
  });

  it('that breaks before an answer is retryable', async () => {
    const failed = await failure({ cut: true });
    expect(failed.retryable).toBe(true);
  });
});

describe('how long to wait', () => {
  const now = Date.parse('2026-03-01T00:00:00.400Z');
  it.each([
    ['2', 2000],
    ['0', 0],
    ['1.5', 1500],
    [' 3 ', 3000],
    ['Sun, 01 Mar 2026 00:00:03 GMT', 3000],
    ['Sunday, 01-Mar-26 00:00:03 GMT', 3000],
    ['Sun Mar  1 00:00:03 2026', 3000],
    ['Sat, 28 Feb 2026 00:00:00 GMT', 0],
    ['Fri, 01 Mar 2030 00:00:00 GMT', MAX_RETRY_AFTER_MS],
    ['999999999', MAX_RETRY_AFTER_MS],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
    ['Infinity', undefined],
    ['5 minutes', undefined],
    ['Sun, soon 99:99:99 GMT', undefined],
  ])('by Retry-After "%s" is %s ms', (value, expected) => {
    expect(retryAfterMs(new Headers({ 'retry-after': value }), now)).toBe(expected);
  });

  it('is taken from retry-after-ms first, where that is a number', () => {
    const both = (ms: string) => retryAfterMs(new Headers({ 'retry-after-ms': ms, 'retry-after': '7' }), now);
    expect([both('250'), both('250.2'), both('x')]).toEqual([250, 251, 7000]);
  });
});
