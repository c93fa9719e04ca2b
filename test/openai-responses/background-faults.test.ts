import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fallback } from '../../src/activities/fallback.js';
import { limit } from '../../src/activities/limit.js';
import { openai } from '../../src/activities/openai/openai.js';
import type { Resume } from '../../src/shared/model-port.js';
import { scriptedModel, text } from '../../src/testing/index.js';
import { failureOf, requestOf } from '../openai-chat/call-served.js';
import { long } from '../support/long.js';
import { answered, responseWith, serveBackground } from './background-server.js';
import { contextWith } from './call-responses.js';

const inBackground = (baseURL: string) => openai({ model: 'm', baseURL, api: 'responses', background: true });

function memory(kept?: string): Resume & { kept: () => string | undefined } {
  let value = kept;
  return {
    get: () => value,
    async set(id) {
      value = id || undefined;
    },
    goesOn: () => false,
    kept: () => value,
  };
}

/** From now on, all that waits for a moment has waited for longer than any provider is down. */
function passAnHour(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
}

const page = { body: '<html><title>Back soon</title></html>' };
const overloaded = { status: 503, body: { error: { message: 'busy' } } };
const unknown = { status: 404, body: { error: { message: 'Not found' } } };

describe('a poll of a background call', () => {
  it('that fails is made again, in the same try', async () => {
    const { seen, url } = await serveBackground(
      (count) => [overloaded, page, unknown][count - 1] ?? answered,
    );
    const resume = memory();
    const response = await inBackground(url).call(requestOf(), contextWith({ resume }));
    expect(response.content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(seen).toMatchObject({ begun: 1, polls: 4, cancelled: [] });
  });

  it('that fails for long fails the try, and the next one goes on with the same reply', async () => {
    const { seen, url } = await serveBackground((count) => {
      if (count === 2) passAnHour();
      return count > 2 ? answered : overloaded;
    });
    const resume = memory();
    const failure = await failureOf(inBackground(url).call(requestOf(), contextWith({ resume })));
    expect(failure).toMatchObject({ type: 'Model.Overloaded', retryable: true, usage: undefined });
    expect(resume.kept()).toBe('resp_1');
    await inBackground(url).call(requestOf(), contextWith({ resume, attempt: 2 }));
    expect(seen).toMatchObject({ begun: 1, cancelled: [] });
  });

  it('that is refused ends the reply, which nobody can ask for', async () => {
    const refused = { status: 401, body: { error: { message: 'No.' } } };
    const { seen, url } = await serveBackground(() => refused);
    const failure = await failureOf(inBackground(url).call(requestOf(), contextWith({ resume: memory() })));
    expect(failure).toMatchObject({ type: 'Model.Authentication', usage: 'unknown' });
    expect(seen.cancelled).toEqual(['resp_1']);
  });

  it.each(long ? [404, 405, 501] : [404])('of a server that has none (%i) fails by name', async (status) => {
    const { seen, url } = await serveBackground(() => ({ ...unknown, status }));
    const resume = memory();
    const failure = await failureOf(inBackground(url).call(requestOf(), contextWith({ resume })));
    expect(failure).toMatchObject({ type: 'Model.Misconfigured', retryable: false });
    expect(failure.message).toContain('Leave out `background`');
    expect(seen).toMatchObject({ begun: 1, cancelled: ['resp_1'] });
    expect(resume.kept()).toBeUndefined();
  });
});

describe('a background reply', () => {
  it('that was cancelled at the provider is asked for anew by the next try', async () => {
    const { url } = await serveBackground(() => ({ body: responseWith('cancelled') }));
    const resume = memory('resp_1');
    const failure = await failureOf(inBackground(url).call(requestOf(), contextWith({ resume })));
    expect(failure).toMatchObject({ type: 'Model.Unavailable', retryable: true, usage: 'unknown' });
    expect(resume.kept()).toBeUndefined();
  });

  it('that the provider has lost has cost what nobody knows', async () => {
    const { url } = await serveBackground((count) => (count === 1 ? unknown : answered));
    const spent: unknown[] = [];
    const onSpent = (usage: unknown) => void spent.push(usage);
    await inBackground(url).call(requestOf(), contextWith({ resume: memory('resp_0'), onSpent }));
    expect(spent).toEqual(['unknown']);
  });

  it('is ended at a provider that a fallback passes over, and is not gone on with', async () => {
    const { seen, url } = await serveBackground(() => {
      passAnHour();
      return overloaded;
    });
    const other = scriptedModel([text('I am here.')], { name: 'other' });
    const resume = memory();
    const spent: unknown[] = [];
    const onSpent = (usage: unknown) => void spent.push(usage);
    const model = fallback([limit(inBackground(url), { maxConcurrent: 1 }), other]);
    const response = await model.call(requestOf(), contextWith({ resume, onSpent }));
    expect(response.model).toBe('other');
    expect(seen.cancelled).toEqual(['resp_1']);
    expect(resume.kept()).toBeUndefined();
    expect(spent).toEqual(['unknown']);
  });
});
