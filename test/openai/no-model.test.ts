import { describe, expect, it } from 'vitest';
import { isOpenAi } from '../../src/activities/openai/access.js';
import { type FaultOptions, fault, rawBytes } from '../../src/testing/index.js';
import { callServed, failureOf } from '../openai-chat/call-served.js';

const failure = (options: FaultOptions) => failureOf(callServed([fault(options)]));

describe("OpenAI's own server", () => {
  it.each([
    [undefined, true],
    ['https://api.openai.com/v1', true],
    ['https://eu.api.openai.com/v1', true],
    ['https://us.api.openai.com/v1', true],
    ['https://api.openai.com.example.org/v1', false],
    ['https://notapi.openai.com/v1', false],
  ])('is known by its address, in every region: %s', (baseURL, isIts) => {
    expect(isOpenAi(baseURL)).toBe(isIts);
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
