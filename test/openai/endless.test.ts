import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { delta, failureOf, requestOf } from '../openai-chat/call-served.js';
import { contextWith, namedEvents, textDelta } from '../openai-responses/call-responses.js';

/** A server that answers each request with `answer`. */
async function serve(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(response));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** Sends it again and again, as fast as it is read. */
function repeat(response: ServerResponse, piece: string, stopped: () => boolean = () => false): void {
  const send = () => {
    while (!response.destroyed && !stopped()) if (!response.write(piece)) return;
    if (stopped()) response.end();
  };
  response.on('drain', send);
  send();
}

const call = (baseURL: string, options: OpenAiOptions = {}) =>
  openai({ baseURL, ...options }).call(requestOf(), contextWith());
const event = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
const stream = { 'content-type': 'text/event-stream' };

describe('an answer without an end', () => {
  it.each([
    ['a stream', stream, event(delta({ content: 'x'.repeat(5000) }))],
    ['a stream of comments', stream, `: ${'x'.repeat(5000)}\n`],
    ['one line', stream, 'x'.repeat(5000)],
    ['a body', { 'content-type': 'application/json' }, `${' '.repeat(5000)}`],
  ])(
    'that is %s is given up after so many bytes, and costs what nobody knows',
    async (_name, headers, piece) => {
      const url = await serve((response) => repeat(response.writeHead(200, headers), piece));
      const failure = await failureOf(call(url, { maxReplyBytes: 100_000 }));
      expect(failure).toMatchObject({ type: 'Model.BadResponse', retryable: true, maxAttempts: 2 });
      expect(failure).toMatchObject({ usage: 'unknown' });
      expect(failure.message).toContain('maxReplyBytes');
    },
  );

  it('that is an error is read as far as a person would', async () => {
    const url = await serve((response) => repeat(response.writeHead(503), 'The oven is cold. '.repeat(1000)));
    const failure = await failureOf(call(url));
    expect(failure).toMatchObject({ type: 'Model.Overloaded', retryable: true });
    expect(failure.message).toContain('The oven is cold.');
  });

  it('goes on after its finish reason: the reply is taken, with the usage that came by then', async () => {
    let stopped = false;
    const usage = { prompt_tokens: 3, completion_tokens: 4 };
    const url = await serve((response) => {
      response.writeHead(200, stream);
      response.write(event(delta({ content: 'hello' })) + event(delta({}, 'stop')));
      response.write(event({ choices: [], usage }));
      repeat(response, event({ choices: [] }), () => stopped);
    });
    const response = await call(url);
    stopped = true;
    expect(response).toMatchObject({
      content: [{ type: 'text', text: 'hello' }],
      usage: { inputTokens: 3, outputTokens: 4 },
    });
  });
});

describe('a provider that takes its time', () => {
  const GLOBAL = Symbol.for('undici.globalDispatcher.1');

  /** Node's fetch gives up after this long, as it does after 300 s else. */
  async function nodeGivesUpAfter(ms: number): Promise<void> {
    await fetch('http://127.0.0.1:1').catch(() => undefined);
    const before = Reflect.get(globalThis, GLOBAL) as { constructor: new (options: object) => object };
    onTestFinished(() => void Reflect.set(globalThis, GLOBAL, before));
    Reflect.set(globalThis, GLOBAL, new before.constructor({ headersTimeout: ms, bodyTimeout: ms }));
  }

  it("is waited for by the model's own timeouts, and not by those of Node's fetch", async () => {
    await nodeGivesUpAfter(60);
    // Node's fetch looks at its timeouts once a second.
    const url = await serve((response) => {
      setTimeout(() => response.writeHead(200, stream).write(event(delta({ content: 'hel' }))), 1300);
      setTimeout(() => response.end(event(delta({ content: 'lo' }, 'stop'))), 2600);
    });
    const withoutOurs = expect(fetch(url, { method: 'POST' })).rejects.toThrow('fetch failed');
    expect((await call(url)).content).toEqual([{ type: 'text', text: 'hello' }]);
    await withoutOurs;
  });

  const begun = { type: 'response.created', response: { id: 'r', status: 'in_progress' } };
  const item = { type: 'reasoning', id: 'rs_1', summary: [] };
  const thought = { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', delta: 'hm' };
  const last = { type: 'response.completed', response: { id: 'r', status: 'completed', output: [] } };
  it.each([
    [
      'to begin',
      'chat',
      [event(delta({ role: 'assistant', content: '' }))],
      event(delta({ content: 'hi' }, 'stop')),
    ],
    ['to begin', 'responses', namedEvents(begun), namedEvents(textDelta(0, 'hi'), last).join('')],
    [
      'to think',
      'responses',
      namedEvents(begun, { type: 'response.output_item.added', output_index: 0, item }, thought),
      namedEvents(textDelta(1, 'hi'), last).join(''),
    ],
  ] as const)('%s, by the %s API, is not idle for that', async (_name, api, first, rest) => {
    const url = await serve((response) => {
      response.writeHead(200, stream).write(first.join(''));
      setTimeout(() => response.end(rest), 300);
    });
    const options = { api, idleTimeoutMs: 50, firstTokenTimeoutMs: 10_000 };
    expect((await call(url, options)).content).toMatchObject([{ type: 'text', text: 'hi' }]);
  });

  it('is one that never begins, if it says only that it will', async () => {
    const url = await serve((response) => {
      response.writeHead(200, stream).write(namedEvents(begun).join(''));
    });
    const failure = await failureOf(call(url, { api: 'responses', firstTokenTimeoutMs: 50 }));
    expect(failure).toMatchObject({ type: 'Model.Timeout', usage: 'unknown' });
  });
});
