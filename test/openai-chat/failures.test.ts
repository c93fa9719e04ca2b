import { describe, expect, it } from 'vitest';
import { MAX_RETRY_AFTER_MS } from '../../src/activities/openai/retry-after.js';
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
