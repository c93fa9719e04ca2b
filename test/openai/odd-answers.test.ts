import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import type { OpenAiOptions } from '../../src/activities/openai/options.js';
import { rawBytes, rawChunks } from '../../src/testing/index.js';
import { callDelta, callServed, delta, failureOf, requestOf } from '../openai-chat/call-served.js';
import {
  callResponses,
  contextWith,
  ended,
  item,
  namedEvents,
  textDelta,
} from '../openai-responses/call-responses.js';

const json = { headers: { 'content-type': 'application/json' } };
const event = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
const usage = { prompt_tokens: 3, completion_tokens: 4 };

/** A server that answers each request with these pieces, `ms` between them. */
async function serveSlowly(type: string, pieces: readonly string[], ms: number): Promise<string> {
  const answer = async (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': type });
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) await setTimeout(ms);
      if (response.destroyed) return;
      response.write(piece);
    }
    response.end();
  };
  const server = createServer((request, response) => {
    request.resume().once('end', () => void answer(response));
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

const call = (baseURL: string, options: OpenAiOptions = {}) =>
  openai({ baseURL, ...options }).call(requestOf(), contextWith());

describe('an error inside of a 200, as', () => {
  it.each([
    [
      'vLLM',
      { object: 'error', message: 'No such model.', type: 'NotFoundError', code: 404 },
      'Model.NotFound',
    ],
    ['Zhipu', { code: 1113, msg: 'No resources.', success: false }, 'Model.Failed'],
    ['FastAPI', { detail: 'Invalid token.' }, 'Model.Failed'],
    ['FastAPI, in a list', { detail: [{ loc: ['body'], msg: 'Wrong field.' }] }, 'Model.Failed'],
    ['a gateway', { message: 'Slow down.', code: '429' }, 'Model.RateLimited'],
  ])('%s sends it, has its words', async (_name, error, type) => {
    const words = /No such model\.|No resources\.|Invalid token\.|Wrong field\.|Slow down\./;
    for (const raw of [rawBytes([JSON.stringify(error)], json), rawChunks([error, '[DONE]'])]) {
      for (const ask of [callServed, callResponses]) {
        const failure = await failureOf(ask([raw]));
        expect(failure).toMatchObject({ type, message: expect.stringMatching(words) });
      }
    }
  });

  it.each([
    ['a sentence', 'event: error\ndata: The oven, which is "old", is cold: try later, please.\n\n'],
    ['a sentence at the end', 'event: error\ndata: The oven, which is "old", is cold: try later, please.'],
    ['a field', 'error: The oven, which is "old", is cold: try later, please.\n\n'],
  ])('%s, has its words', async (_name, text) => {
    const failure = await failureOf(callServed([rawBytes([event(delta({ content: 'a' })), text])]));
    expect(failure.message).toContain('The oven, which is "old", is cold');
  });

  it('may be told by fields that a reply has, too, and is none then', async () => {
    const chunk = { ...(delta({ content: 'a' }, 'stop') as object), code: 17, message: 'fine' };
    expect((await callServed([rawChunks([chunk])])).streamed).toBe('a');
  });

  it('does not undo a reply that is whole', async () => {
    const error = { error: { message: 'Late.' } };
    const chat = await callServed([rawChunks([delta({ content: 'a' }, 'stop'), error])]);
    const last = ended('completed', [item.text('a')]);
    const responses = await callResponses([rawBytes(namedEvents(last, { type: 'error', ...error }))]);
    expect([chat.streamed, responses.streamed]).toEqual(['a', 'a']);
  });
});

describe('a finish reason on every chunk', () => {
  const pieces = ['It ', 'goes ', 'on.'].map((content) => delta({ content }, 'stop') as object);

  it.each([
    ['', pieces],
    [' with usage', pieces.map((piece) => ({ ...piece, usage }))],
  ])('%s ends nothing while pieces come', async (_name, chunks) => {
    const url = await serveSlowly('text/event-stream', chunks.map(event), 400);
    expect((await call(url)).content).toEqual([{ type: 'text', text: 'It goes on.' }]);
  });

  it('does not make a broken reply whole', async () => {
    const cut = rawChunks(pieces, { ending: 'cut' });
    expect(await failureOf(callServed([cut]))).toMatchObject({ type: 'Model.StreamCut' });
  });
});

describe('an answer of another form', () => {
  const reply = { choices: [{ message: { content: 'hello' }, finish_reason: null }] };
  const lines = [delta({ content: 'hel' }), delta({ content: 'lo' }), delta({}, 'stop')];
  const jsonLines = lines.map((line) => `${JSON.stringify(line)}\n`);

  it.each([
    ['JSON as text/plain', 'text/plain', [JSON.stringify(reply)]],
    ['JSON on many lines', 'text/plain', [JSON.stringify(reply, null, 2)]],
    ['JSON on many lines as a stream', 'text/event-stream', [JSON.stringify(reply, null, 2)]],
    ['JSON after blank lines', 'application/json', ['\n', ' \n', JSON.stringify(reply)]],
    ['JSON lines', 'application/x-ndjson', jsonLines],
    ['JSON lines as JSON', 'application/json', jsonLines],
    ['JSON lines as text', 'text/plain', jsonLines],
  ])('is read: %s', async (_name, type, pieces) => {
    const raw = rawBytes(pieces, { headers: { 'content-type': type } });
    const { response, streamed } = await callServed([raw]);
    expect(streamed).toBe('hello');
    expect(response.stopReason).toBe('end_turn');
  });

  it('is shown as it comes where it is a stream', async () => {
    for (const [type, pieces] of [
      ['application/x-ndjson', jsonLines],
      ['application/json', lines.map(event)],
    ] as const) {
      const shown: string[] = [];
      const url = await serveSlowly(type, pieces, 20);
      await openai({ baseURL: url }).call(requestOf(), contextWith({ onText: (text) => shown.push(text) }));
      expect(shown).toEqual(['hel', 'lo']);
    }
  });

  it.each([
    ['blank lines', [...Array.from({ length: 13 }, () => '\n'), JSON.stringify(reply)]],
    ['pieces', JSON.stringify(reply, null, 1).match(/.{1,5}/gs) ?? []],
    ['pieces of one line', JSON.stringify(reply).match(/.{1,5}/gs) ?? []],
  ])('has time while it comes: %s', async (_name, pieces) => {
    const url = await serveSlowly('application/json', pieces, 100);
    const options = { stream: false, firstTokenTimeoutMs: 1000, idleTimeoutMs: 1000 };
    expect((await call(url, options)).content).toEqual([{ type: 'text', text: 'hello' }]);
  });
});

describe('keep-alive comments', () => {
  it('do not keep a reply that has stopped for ever', async () => {
    const comments = Array.from({ length: 1000 }, () => ': ping\n\n');
    for (const [api, first] of [
      ['chat', event(delta({ content: 'hel' }))],
      ['responses', namedEvents(textDelta(0, 'hel')).join('')],
    ] as const) {
      const url = await serveSlowly('text/event-stream', [first, ...comments], 20);
      const failure = await failureOf(call(url, { api, firstTokenTimeoutMs: 300, idleTimeoutMs: 100 }));
      expect(failure).toMatchObject({ type: 'Model.Timeout', retryable: true });
      expect(failure.message).toContain('for 300 ms');
    }
  });

  it('keep it for as long as it may take to begin', async () => {
    const comments = Array.from({ length: 60 }, () => ': ping\n\n');
    const pieces = [event(delta({ content: 'hel' })), ...comments, event(delta({ content: 'lo' }, 'stop'))];
    const url = await serveSlowly('text/event-stream', pieces, 20);
    const { content } = await call(url, { firstTokenTimeoutMs: 60_000, idleTimeoutMs: 1000 });
    expect(content).toEqual([{ type: 'text', text: 'hello' }]);
  });
});

describe('usage', () => {
  it('of anything but whole numbers is not told', async () => {
    const odd = {
      prompt_tokens: -10,
      completion_tokens: 1.5,
      prompt_tokens_details: { cached_tokens: 1e300 },
    };
    const { response } = await callServed([
      rawChunks([delta({ content: 'a' }, 'stop'), { choices: [], usage: odd }]),
    ]);
    expect(response).not.toHaveProperty('usage');
  });

  it('of zeros, of a call that failed, is unknown', async () => {
    const zeros = { prompt_tokens: 0, completion_tokens: 0 };
    const piece = (told: object) => ({ ...(callDelta() as object), usage: told });
    const usageOf = async (told: object) => (await failureOf(callServed([rawChunks([piece(told)])]))).usage;
    expect(await usageOf(zeros)).toBe('unknown');
    expect(await usageOf(usage)).toEqual({ inputTokens: 3, outputTokens: 4 });
  });
});
