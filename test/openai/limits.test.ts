import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limit } from '../../src/activities/limit.js';
import { openai } from '../../src/activities/openai/openai.js';
import {
  type Model,
  ModelError,
  type ModelRequest,
  type ModelResponse,
} from '../../src/shared/model-port.js';
import { reply, serveScriptedModel, text } from '../../src/testing/index.js';
import { requestOf } from '../openai-chat/call-served.js';
import { contextWith } from '../openai-responses/call-responses.js';

type Begun = { name: string; answer(tokens?: number): void; fail(error: ModelError): void };

/** A model whose calls the test ends. */
function heldModel() {
  const begun: Begun[] = [];
  const model: Model = {
    name: 'held',
    call: (request) =>
      new Promise<ModelResponse>((resolve, reject) => {
        begun.push({
          name: request.model,
          answer: (tokens) =>
            resolve({
              content: [],
              stopReason: 'end_turn',
              model: request.model,
              ...(tokens !== undefined && { usage: { inputTokens: tokens, outputTokens: 0 } }),
            }),
          fail: reject,
        });
      }),
  };
  return { model, begun, names: () => begun.map(({ name }) => name) };
}

const named = (model: string): ModelRequest => ({ ...requestOf(), model });
const settled = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a limit of calls at once', () => {
  it('lets the others wait, in the order in which they came', async () => {
    const { model, begun, names } = heldModel();
    const limited = limit(model, { maxConcurrent: 2 });
    const calls = ['a', 'b', 'c', 'd'].map((name) => limited.call(named(name), contextWith()));
    await settled();
    expect(names()).toEqual(['a', 'b']);
    begun[1]?.answer();
    await settled();
    expect(names()).toEqual(['a', 'b', 'c']);
    begun[0]?.fail(new ModelError('Model.BadRequest', 'no', { retryable: false }));
    await expect(calls[0]).rejects.toThrow('no');
    await settled();
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lets go of one that is aborted while it waits, and of the others in their turn', async () => {
    const { model, begun, names } = heldModel();
    const limited = limit(model, { maxConcurrent: 1 });
    const controller = new AbortController();
    const ignored = limited.call(named('a'), contextWith());
    const aborted = expect(
      limited.call(named('b'), contextWith({ signal: controller.signal })),
    ).rejects.toThrow('stop');
    const third = limited.call(named('c'), contextWith());
    controller.abort(new Error('stop'));
    await aborted;
    begun[0]?.answer();
    await ignored;
    await settled();
    expect(names()).toEqual(['a', 'c']);
    begun[1]?.answer();
    await third;
  });

  it('holds all back for as long as the provider asks one to wait', async () => {
    const { model, begun, names } = heldModel();
    const limited = limit(model, { maxConcurrent: 1 });
    const first = limited.call(named('a'), contextWith());
    void limited.call(named('b'), contextWith());
    await settled();
    begun[0]?.fail(new ModelError('Model.RateLimited', 'no', { retryable: true, retryAfterMs: 3000 }));
    await expect(first).rejects.toThrow('no');
    await vi.advanceTimersByTimeAsync(2900);
    expect(names()).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(200);
    expect(names()).toEqual(['a', 'b']);
  });
});

describe('a limit of tokens in a minute', () => {
  it('lets a call wait until there is room, by what the calls before it really took', async () => {
    const { model, begun, names } = heldModel();
    const limited = limit(model, { tokensPerMinute: 1000 });
    const first = limited.call(named('a'), contextWith());
    await settled();
    begun[0]?.answer(990);
    await first;
    await vi.advanceTimersByTimeAsync(10_000);
    void limited.call(named('b'), contextWith());
    void limited.call(named('c'), contextWith());
    await vi.advanceTimersByTimeAsync(49_000);
    expect(names()).toEqual(['a']);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('counts nothing for a call that the provider refused', async () => {
    const { model, begun, names } = heldModel();
    const limited = limit(model, { tokensPerMinute: 1 });
    const first = limited.call(named('a'), contextWith());
    await settled();
    begun[0]?.fail(new ModelError('Model.RateLimited', 'no', { retryable: true }));
    await expect(first).rejects.toThrow('no');
    void limited.call(named('b'), contextWith());
    await settled();
    expect(names()).toEqual(['a', 'b']);
  });

  it('lets a call that is larger than the limit go alone', async () => {
    const { model, names } = heldModel();
    void limit(model, { tokensPerMinute: 1 }).call(named('a'), contextWith());
    await settled();
    expect(names()).toEqual(['a']);
  });
});

describe('a limit that is none', () => {
  it.each([0, -1, Number.NaN, '2', null])('such as %s is refused at once, by name', (value) => {
    const number = value as number;
    expect(() => limit(heldModel().model, { maxConcurrent: number })).toThrow('limit({ maxConcurrent })');
    expect(() => openai({ tokensPerMinute: number })).toThrow('openai({ tokensPerMinute })');
    expect(() => openai({ idleTimeoutMs: number })).toThrow(TypeError);
  });
});

describe('limits of openai(...)', () => {
  it('are shared by all that use the model at that address in this process', async () => {
    vi.useRealTimers();
    let running = 0;
    let most = 0;
    const server = await serveScriptedModel([
      async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 20));
        running--;
        return reply(text('hello'));
      },
    ]);
    const models = [1, 2, 3].map(() => openai({ baseURL: server.url, maxConcurrent: 2 }));
    const calls = [...models, ...models].map((model) => model.call(named('m'), contextWith()));
    expect(await Promise.all(calls)).toHaveLength(6);
    await server.close();
    expect(most).toBe(2);
  });
});
