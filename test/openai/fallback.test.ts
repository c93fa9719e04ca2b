import { describe, expect, it, onTestFinished } from 'vitest';
import { fallback } from '../../src/activities/fallback.js';
import { openai } from '../../src/activities/openai/openai.js';
import type { Model } from '../../src/shared/model-port.js';
import {
  fault,
  rawBytes,
  type ScriptedModel,
  scriptedModel,
  serveScriptedModel,
  text,
} from '../../src/testing/index.js';
import { failureOf, requestOf } from '../openai-chat/call-served.js';
import { contextWith } from '../openai-responses/call-responses.js';

const good = (name = 'good') => scriptedModel([text(`I am ${name}.`)], { name });
const request = { ...requestOf(), model: 'first' };
const asked = (model: ScriptedModel) => model.requests.map((one) => one.model);

describe('fallback models', () => {
  it.each([
    ['overloaded', fault({ status: 503 })],
    ['failing', fault({ status: 500 })],
    ['out of reach', fault({ cut: true })],
    ['limiting, without saying for how long', fault({ status: 429 })],
    ['limiting for long', fault({ status: 429, retryAfter: 60 })],
  ])('are asked when the first is %s, and the reply says which one answered', async (_name, down) => {
    const first = scriptedModel([down], { name: 'first' });
    const response = await fallback([first, good()]).call(request, contextWith());
    expect(response).toMatchObject({ content: [{ text: 'I am good.' }], model: 'good' });
  });

  it.each([
    ['refused', fault({ status: 401 }), 'Model.Authentication'],
    ['wrong', fault({ status: 400 }), 'Model.BadRequest'],
    [
      'too long',
      fault({ status: 400, body: { error: { code: 'context_length_exceeded' } } }),
      'Model.ContextTooLong',
    ],
    ['to wait a moment', fault({ status: 429, retryAfter: 2 }), 'Model.RateLimited'],
  ])('are not asked when the request is %s', async (_name, refused, type) => {
    const second = good();
    const models = fallback([scriptedModel([refused], { name: 'first' }), second]);
    expect((await failureOf(models.call(request, contextWith()))).type).toBe(type);
    expect(second.requests).toEqual([]);
  });

  it.each([
    ['a maintenance page', 'text/html', '<html><title>Back soon</title></html>'],
    ['an error that nobody knows', 'application/json', '{"error":"the oven is cold"}'],
    ['JSON of another kind', 'application/json', '{"hello":"world"}'],
  ])('are asked when the first answers with %s', async (_name, type, body) => {
    const server = await serveScriptedModel([rawBytes([body], { headers: { 'content-type': type } })]);
    onTestFinished(() => server.close());
    const response = await fallback([openai({ baseURL: server.url }), good()]).call(request, contextWith());
    expect(response.model).toBe('good');
  });

  it('are asked when a model of your own throws what it likes, and its error stays where nobody answers', async () => {
    const broken: Model = { name: 'broken', call: () => Promise.reject(new RangeError('my own bug')) };
    expect((await fallback([broken, good()]).call(request, contextWith())).model).toBe('good');
    const failure = await failureOf(fallback([broken, broken]).call(request, contextWith()));
    expect(failure).toMatchObject({ type: 'Model.Failed', retryable: false });
    expect(failure.message).toContain('my own bug');
  });

  it('leave one that was down alone for a while', async () => {
    const first = scriptedModel([fault({ status: 503 })], { name: 'first' });
    const models = fallback([first, good()]);
    await models.call(request, contextWith());
    await models.call(request, contextWith());
    expect(asked(first)).toEqual(['first']);
  });

  it('go to the next in the next try, when text had streamed', async () => {
    const first = scriptedModel([fault({ cut: 'clean', afterChars: 5 })], { name: 'first' });
    const models = fallback([first, good()]);
    expect((await failureOf(models.call(request, contextWith()))).type).toBe('Model.StreamCut');
    expect((await models.call(request, contextWith({ attempt: 2 }))).model).toBe('good');
  });

  it('all down are one fault that names each, tried again when the first of them may be asked', async () => {
    const models = fallback([
      scriptedModel([fault({ status: 503, retryAfter: 20 })], { name: 'first' }),
      scriptedModel([fault({ status: 429, retryAfter: 10 })], { name: 'second' }),
    ]);
    const failure = await failureOf(models.call(request, contextWith()));
    expect(failure).toMatchObject({ type: 'Model.Overloaded', retryable: true, retryAfterMs: 10_000 });
    expect(failure.message).toContain('Model.RateLimited');
  });

  it('are not asked after an interrupt', async () => {
    const second = good();
    const first = scriptedModel([fault({ status: 503, delayMs: Infinity })], { name: 'first' });
    const controller = new AbortController();
    const called = fallback([first, second]).call(request, contextWith({ signal: controller.signal }));
    controller.abort(new Error('interrupted'));
    await expect(called).rejects.toThrow('interrupted');
    expect(second.requests).toEqual([]);
  });

  it.each([
    ['limiting for ten minutes', fault({ status: 429, retryAfter: 600 }), 1],
    // The next in line goes out as soon as the first has ended.
    ['overloaded', fault({ status: 503 }), 2],
  ])(
    'are gone on to by those that wait for their turn at one that is found to be %s',
    async (_name, down, sent) => {
      const server = await serveScriptedModel([down]);
      onTestFinished(() => server.close());
      const first = openai({ baseURL: server.url, maxConcurrent: 1 });
      const models = fallback([first, good()]);
      const spent: unknown[] = [];
      const context = () => contextWith({ onSpent: (usage) => spent.push(usage) });
      const replies = await Promise.all([1, 2, 3].map(() => models.call(request, context())));
      expect(replies.map(({ model }) => model)).toEqual(['good', 'good', 'good']);
      expect(server.requests).toHaveLength(sent);
      expect(spent).toHaveLength(sent);
    },
  );

  it('are gone on to where others have closed the limits of the first for long', async () => {
    const server = await serveScriptedModel([fault({ status: 429, retryAfter: 600 })]);
    onTestFinished(() => server.close());
    const first = openai({ baseURL: server.url, maxConcurrent: 1 });
    await failureOf(first.call(request, contextWith()));
    expect((await fallback([first, good()]).call(request, contextWith())).model).toBe('good');
    const failing = scriptedModel([fault({ status: 503, retryAfter: 20 })], { name: 'failing' });
    const failure = await failureOf(fallback([first, failing]).call(request, contextWith()));
    expect(failure).toMatchObject({ type: 'Model.RateLimited', retryAfterMs: 20_000 });
    expect(server.requests).toHaveLength(1);
  });

  it('have the name of the first', () => {
    expect(fallback([good('a'), good('b')]).name).toBe('a');
  });
});
