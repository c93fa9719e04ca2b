import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import {
  fault,
  rawBytes,
  rawChunks,
  reply,
  type Script,
  type ServedModel,
  serveScriptedModel,
  text,
} from '../../src/testing/index.js';
import { delta, failureOf, requestOf } from './call-served.js';

let server: ServedModel | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function call(
  script: Script,
  options: OpenAiOptions,
  signal: AbortSignal,
  onText: (text: string) => void,
) {
  server = await serveScriptedModel(script);
  const model = openai({ baseURL: server.url, ...options });
  return await model.call(requestOf(), { signal, attempt: 1, onText });
}

const never = () => new AbortController().signal;
const ignore = () => undefined;

describe('an abort', () => {
  it('in the middle of a stream ends the call at once, with its own reason', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const hanging = rawChunks([delta({ content: 'hel' })], { ending: 'open' });
    const called = call([hanging], {}, controller.signal, () => controller.abort(reason));
    await expect(called).rejects.toBe(reason);
  });

  it('before the first byte ends the call at once', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const script: Script = [
      () => {
        controller.abort(reason);
        return fault({ delayMs: Infinity });
      },
    ];
    await expect(call(script, {}, controller.signal, ignore)).rejects.toBe(reason);
  });

  it('before the call makes no request', async () => {
    const reason = new Error('interrupted');
    await expect(call([text('hello')], {}, AbortSignal.abort(reason), ignore)).rejects.toBe(reason);
    expect(server?.requests).toEqual([]);
  });
});

describe('a silent provider', () => {
  it('that never begins is a timeout, retryable', async () => {
    const script = [reply(text('hello'), { delayMs: Infinity })];
    const failure = await failureOf(call(script, { firstTokenTimeoutMs: 50 }, never(), ignore));
    expect(failure).toMatchObject({ type: 'Model.Timeout', retryable: true });
  });

  it('that sends nothing but comments is a timeout', async () => {
    const comments = rawBytes([': ping\n\n', ': ping\n\n'], { ending: 'open' });
    const failure = await failureOf(call([comments], { firstTokenTimeoutMs: 50 }, never(), ignore));
    expect(failure.type).toBe('Model.Timeout');
  });

  it('that stops in the middle is a timeout', async () => {
    const hanging = rawChunks([delta({ content: 'hel' })], { ending: 'open' });
    const failure = await failureOf(call([hanging], { idleTimeoutMs: 50 }, never(), ignore));
    expect(failure).toMatchObject({ type: 'Model.Timeout', retryable: true });
  });

  it('that is slow, but not silent, is waited for', async () => {
    server = await serveScriptedModel([text('a slow but steady reply')], { pieceDelayMs: 30, pieceChars: 2 });
    const model = openai({ baseURL: server.url, idleTimeoutMs: 300 });
    const response = await model.call(requestOf(), { signal: never(), attempt: 1, onText: ignore });
    expect(response.content).toEqual([{ type: 'text', text: 'a slow but steady reply' }]);
  });
});

describe('a missing setting', () => {
  const names = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'];
  const before = new Map(names.map((name) => [name, process.env[name]]));

  beforeEach(() => {
    for (const name of names) delete process.env[name];
  });

  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  const ask = (options: OpenAiOptions, model = 'm') =>
    openai(options).call({ ...requestOf(), model }, { signal: never(), attempt: 1, onText: ignore });

  it('is named: the key', async () => {
    const failure = await failureOf(ask({}));
    expect(failure).toMatchObject({ type: 'Model.Misconfigured', retryable: false });
    expect(failure.message).toContain('OPENAI_API_KEY');
  });

  it('is named: the model', async () => {
    const failure = await failureOf(ask({ apiKey: 'k' }, ''));
    expect(failure).toMatchObject({ type: 'Model.Misconfigured', retryable: false });
    expect(failure.message).toContain('OPENAI_MODEL');
  });

  it('is named: an address that is none', async () => {
    const failure = await failureOf(ask({ baseURL: 'localhost:11434' }));
    expect(failure).toMatchObject({ type: 'Model.Misconfigured', retryable: false });
    expect(failure.message).toContain('OPENAI_BASE_URL');
  });

  it('is read from the environment at the call, not before', async () => {
    server = await serveScriptedModel([text('hello')]);
    const model = openai();
    process.env['OPENAI_BASE_URL'] = server.url;
    process.env['OPENAI_API_KEY'] = 'a-key';
    process.env['OPENAI_MODEL'] = 'm-1';
    expect(model.name).toBe('m-1');
    await model.call({ ...requestOf(), model: '' }, { signal: never(), attempt: 1, onText: ignore });
    expect(server.requests[0]).toMatchObject({
      body: { model: 'm-1' },
      headers: { authorization: 'Bearer a-key' },
    });
  });

  it("is no key for a server of one's own", async () => {
    server = await serveScriptedModel([text('hello')]);
    await ask({ baseURL: server.url });
    expect(server.requests[0]?.headers['authorization']).toBe('Bearer no-key-needed');
  });
});
