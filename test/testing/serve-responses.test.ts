import { afterEach, describe, expect, it } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import {
  attempts,
  fault,
  reasoning,
  reply,
  type Script,
  type ServedModel,
  type ServeOptions,
  scriptedModel,
  serveScriptedModel,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { refuseStrictSchema } from '../../src/testing/refuse-schema.js';
import { requestOf } from '../openai-chat/call-served.js';
import { contextWith } from '../openai-responses/call-responses.js';

let server: ServedModel | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function post(body: unknown, script: Script = [text('hello')], options?: ServeOptions) {
  server ??= await serveScriptedModel(script, options);
  const response = await fetch(`${server.url}/responses`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: await response.text() };
}

const user = { role: 'user', content: 'hi' };
const call = (id: string, name = 'look', written = '{}') => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: written,
});
const output = (id: string, content: unknown = 'ok') => ({
  type: 'function_call_output',
  call_id: id,
  output: content,
});
const thought = (encrypted_content: string | null) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  encrypted_content,
});

describe('a served scripted model, by the Responses API', () => {
  it.each([true, false])('says what it says in process (stream: %s)', async (stream) => {
    const script = [
      reply(text('Both 😀 now.'), toolCall('a', { x: 'ü' }), toolCall('b'), {
        usage: { inputTokens: 5, cachedInputTokens: 2, outputTokens: 9, reasoningTokens: 4 },
      }),
    ];
    server = await serveScriptedModel(script, { pieceChars: 3 });
    const overHttp = openai({ baseURL: server.url, api: 'responses', stream });
    const streamed = ['', ''];
    const ask = (at: number) => {
      const onText = (piece: string) => {
        streamed[at] += piece;
      };
      return contextWith({ onText });
    };
    expect(await overHttp.call(requestOf(), ask(0))).toEqual(
      await scriptedModel(script).call(requestOf(), ask(1)),
    );
    expect(streamed[0]).toBe(streamed[1]);
  });

  it('fails as it fails in process, try by try', async () => {
    const script = [
      attempts(
        fault({ status: 429, retryAfter: 1.5 }),
        fault({ status: 503, afterChars: 5 }),
        fault({ cut: true, afterChars: 5 }),
        fault({ cut: 'clean', afterChars: 5 }),
        reply(),
        text('hello'),
      ),
    ];
    server = await serveScriptedModel(script);
    const model = openai({ baseURL: server.url, api: 'responses' });
    for (const attempt of [1, 2, 3, 4, 5]) {
      const [overHttp, inProcess] = await Promise.allSettled([
        model.call(requestOf(), contextWith()),
        scriptedModel(script).call(requestOf(), contextWith({ attempt })),
      ]);
      const { type, retryable, retryAfterMs } =
        inProcess.status === 'rejected' ? inProcess.reason : { type: 'none' };
      expect(overHttp).toMatchObject({ status: 'rejected', reason: { type, retryable, retryAfterMs } });
    }
    expect((await model.call(requestOf(), contextWith())).content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(server.responses.map(({ index, attempt }) => [index, attempt])).toEqual(
      [1, 2, 3, 4, 5, 6].map((attempt) => [0, attempt]),
    );
  });

  it('answers by what it reads, where the entry is a function', async () => {
    const script: Script = [
      text('unused'),
      (messages, request) =>
        text(`${messages.map((message) => message.role).join(' ')}; ${request.instructions}`),
    ];
    const input = [user, thought('scripted:x'), call('a'), call('b'), output('a'), output('b')];
    const { body } = await post({ model: 'm', instructions: 'Be brief.', input }, script);
    expect(JSON.parse(body).output[0].content[0].text).toBe('user assistant tool; Be brief.');
  });

  it('sends reasoning encrypted, and marks what the output limit cut', async () => {
    const { body } = await post({ model: 'm', input: 'hi' }, [
      reply(reasoning('hm'), text('he'), { finish: 'length' }),
    ]);
    expect(JSON.parse(body)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [
        { type: 'reasoning', encrypted_content: expect.stringContaining('scripted:') },
        { type: 'message' },
      ],
    });
  });

  it('runs a reply in the background, for as long as it takes', async () => {
    const script = [reply(text('hello'), { delayMs: Infinity })];
    const { body } = await post({ model: 'm', input: 'hi', background: true }, script);
    const { id } = JSON.parse(body);
    const get = async (path: string, method = 'GET') =>
      (await fetch(`${server?.url}/responses/${path}`, { method })).json();
    expect(await get(id)).toMatchObject({ id, status: 'in_progress' });
    expect(await get(`${id}/cancel`, 'POST')).toMatchObject({ id, status: 'cancelled' });
    expect(await get(id)).toMatchObject({ status: 'cancelled' });
    expect(await get('other')).toMatchObject({ error: { message: expect.stringContaining('not found') } });
    expect(server?.cancelled).toEqual([id]);
  });
});

describe('a strict provider, by the Responses API,', () => {
  const body = (...input: unknown[]) => ({ model: 'm', input });
  const open = { type: 'object', properties: { a: { type: 'string' } } };
  it.each([
    ['a call without an output', body(user, call('a'))],
    ['one output of two', body(user, call('a'), call('b'), output('a'), user)],
    ['an output that comes twice', body(user, call('a'), output('a'), output('a'))],
    ['an output of no call', body(user, output('a'))],
    ['two calls of one id', body(user, call('a'), output('a'), call('a'), output('a'))],
    ['an empty output', body(user, call('a'), output('a', ''))],
    ['an empty message', body({ role: 'user', content: '' })],
    ['a name with a dot', body(user, call('a', 'browser.open'), output('a'))],
    ['arguments that are no JSON', body(user, call('a', 'look', '{"a":'), output('a'))],
    ['reasoning without its encrypted content', body(user, thought(null), call('a'), output('a'))],
    ['reasoning of somebody else', body(user, thought('else'), call('a'), output('a'))],
    ['reasoning that nothing follows', body(user, thought('scripted:x'), user)],
    ['a background call that is not stored', { ...body(user), background: true, store: false }],
    ['a response before', { ...body(user), previous_response_id: 'resp_1' }],
    ['an empty list of tools', { ...body(user), tools: [] }],
    [
      'an open schema that is not said not to be strict',
      { ...body(user), tools: [{ type: 'function', name: 'look', parameters: open }] },
    ],
    ['a lone surrogate', body({ role: 'user', content: 'x\ud83d' })],
    ['no input', body()],
  ])('refuses %s', async (_name, sent) => {
    const { status, body: answer } = await post(sent);
    expect(status).toBe(400);
    expect(server?.refusals).toEqual([JSON.parse(answer).error.message]);
    expect(server?.responses).toEqual([]);
  });

  it('takes a whole conversation', async () => {
    const { status } = await post(
      body(user, thought('scripted:x'), call('a'), call('b'), output('b'), output('a'), user),
      [text('unused'), text('hello')],
    );
    expect([status, server?.refusals]).toEqual([200, []]);
  });
});

// O25
describe('a strict schema', () => {
  const closed = (properties: object, required = Object.keys(properties)) =>
    JSON.parse(JSON.stringify({ type: 'object', properties, required, additionalProperties: false }));

  it.each([
    [
      'nested objects',
      closed({ a: closed({ b: { type: ['string', 'null'] } }), c: { type: 'array', items: { enum: [1] } } }),
    ],
    ['alternatives and references', closed({ a: { anyOf: [{ $ref: '#/$defs/x' }, { type: 'null' }] } })],
    ['nothing', closed({})],
  ])('may have %s', (_name, schema) => {
    expect(refuseStrictSchema(schema)).toBeUndefined();
  });

  it.each([
    ['an open object', { type: 'object', properties: {} }],
    ['a property that is not required', closed({ a: { type: 'string' } }, [])],
    ['a property without a type', closed({ a: {} })],
    ['a default', closed({ a: { type: 'string', default: 'x' } })],
    ['a record', closed({ a: { type: 'object', additionalProperties: { type: 'string' } } })],
    ['a fault inside of a list', closed({ a: { type: 'array', items: { type: 'object', properties: {} } } })],
    ['a root that is no object', { type: 'string' }],
    ['one of several', closed({ a: { oneOf: [{ type: 'string' }] } })],
  ])('may not have %s', (_name, schema) => {
    expect(refuseStrictSchema(schema)).toEqual(expect.any(String));
  });
});
