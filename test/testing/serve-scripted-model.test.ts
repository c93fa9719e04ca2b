import { afterEach, describe, expect, it } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import { type Message, textContent } from '../../src/shared/messages.js';
import type { Model, ModelResponse } from '../../src/shared/model-port.js';
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

let server: ServedModel | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(script: Script, options?: ServeOptions): Promise<ServedModel> {
  server = await serveScriptedModel(script, options);
  return server;
}

async function post(body: unknown, script: Script = [text('hello')], options?: ServeOptions) {
  const { url } = server ?? (await serve(script, options));
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const user = { role: 'user', content: 'hi' };
const call = (id: string, name = 'look', written = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: written },
});
const asking = (...calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: calls });
const result = (id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id: id, content });

const asked: Message = { role: 'user', id: 'u', content: textContent('u', 'Where is W1?') };

async function ask(model: Model, attempt = 1): Promise<ModelResponse & { streamed: string }> {
  let streamed = '';
  const response = await model.call(
    { model: 'm', instructions: 'Be brief.', messages: [asked], tools: [] },
    {
      signal: new AbortController().signal,
      attempt,
      onText(piece) {
        streamed += piece;
      },
    },
  );
  return { ...response, streamed };
}

describe('a served scripted model', () => {
  it('says over HTTP what it says in process', async () => {
    const script = [
      reply(reasoning('hm'), text('Both 😀 now.'), toolCall('a', { x: 'ü' }), toolCall('b'), {
        usage: { inputTokens: 5, cachedInputTokens: 2, outputTokens: 9, reasoningTokens: 4 },
      }),
    ];
    const { url } = await serve(script, { pieceChars: 3 });
    const served = await ask(openai({ baseURL: url }));
    // Of what came over a wire it is kept where it came from.
    const content = served.content.map(({ opaque: _origin, ...part }) => part);
    expect({ ...served, content }).toEqual(await ask(scriptedModel(script)));
  });

  it('estimates the same usage over HTTP as in process', async () => {
    const { url } = await serve([text('hello')]);
    expect((await ask(openai({ baseURL: url }))).usage).toEqual(
      (await ask(scriptedModel([text('hello')]))).usage,
    );
  });

  it('fails over HTTP as it fails in process, try by try', async () => {
    const script = [
      attempts(
        fault({ status: 429, retryAfter: 1.5 }),
        fault({ status: 400, body: { error: { message: 'Too long.', code: 'context_length_exceeded' } } }),
        fault({ status: 503, afterChars: 5 }),
        fault({ cut: true, afterChars: 5 }),
        fault({ cut: 'clean', afterChars: 5 }),
        text('hello'),
      ),
    ];
    const served = await serve(script);
    const model = openai({ baseURL: served.url });
    for (const attempt of [1, 2, 3, 4, 5]) {
      const [overHttp, inProcess] = await Promise.allSettled([
        ask(model),
        ask(scriptedModel(script), attempt),
      ]);
      const { type, retryable, retryAfterMs } =
        inProcess.status === 'rejected' ? inProcess.reason : { type: 'none' };
      expect(overHttp).toMatchObject({ status: 'rejected', reason: { type, retryable, retryAfterMs } });
    }
    expect((await ask(model)).streamed).toBe('hello');
    expect(served.requests.map((request) => [request.index, request.attempt])).toEqual(
      [1, 2, 3, 4, 5, 6].map((attempt) => [0, attempt]),
    );
  });

  it('answers in one body where no stream is asked for', async () => {
    const { status, body } = await post({ model: 'm', messages: [user] }, [
      reply(text('hello'), toolCall('a')),
    ]);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({
      object: 'chat.completion',
      choices: [
        { message: { content: 'hello', tool_calls: [call('call_0_1', 'a')] }, finish_reason: 'tool_calls' },
      ],
    });
  });

  it('answers by what it reads, where the entry is a function', async () => {
    const script: Script = [
      text('unused'),
      (messages, request) =>
        text(`${messages.map((message) => message.role).join(' ')}; ${request.instructions}`),
    ];
    const messages = [
      { role: 'system', content: 'Be brief.' },
      user,
      asking(call('a'), call('b')),
      result('a'),
      result('b'),
    ];
    const { body } = await post({ model: 'm', messages }, script);
    expect(JSON.parse(body).choices[0].message.content).toBe('user assistant tool; Be brief.');
  });

  it('lists a model', async () => {
    const { url } = await serve([], { model: 'demo' });
    const response = await fetch(`${url}/models`);
    expect(await response.json()).toMatchObject({ data: [{ id: 'demo' }] });
  });

  it('says so, in an error that is not retried, when the script is at its end', async () => {
    const { url } = await serve([]);
    await expect(ask(openai({ baseURL: url }))).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('The script has 0 replies, model call 1 was made'),
    });
  });

  it('closes at once, though somebody waits for an answer', async () => {
    let begun: (() => void) | undefined;
    const asking = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const served = await serve([
      () => {
        begun?.();
        return fault({ delayMs: Infinity });
      },
    ]);
    const waiting = expect(ask(openai({ baseURL: served.url }))).rejects.toMatchObject({ retryable: true });
    await asking;
    await served.close();
    await waiting;
  });
});

describe('a strict provider', () => {
  const body = (...messages: unknown[]) => ({ model: 'm', messages });
  it.each([
    ['a call without a result', body(user, asking(call('a')))],
    ['a call whose result comes too late', body(user, asking(call('a')), user, result('a'))],
    ['one result of two', body(user, asking(call('a'), call('b')), result('a'), user)],
    ['a result that comes twice', body(user, asking(call('a')), result('a'), result('a'))],
    ['a result before its call', body(user, result('a'), asking(call('a')))],
    ['a result of no call', body(user, result('a'))],
    ['two calls of one id', body(user, asking(call('a'), call('a')), result('a'))],
    ['an empty result', body(user, asking(call('a')), result('a', ''))],
    ['a result with an empty part', body(user, asking(call('a')), result('a', [{ type: 'text', text: '' }]))],
    [
      'an image in a result',
      body(user, asking(call('a')), result('a', [{ type: 'image_url', image_url: { url: 'data:' } }])),
    ],
    ['an empty user message', body({ role: 'user', content: '' })],
    ['an empty assistant message', body(user, { role: 'assistant', content: '' })],
    ['a name with a dot', body(user, asking(call('a', 'browser.open')), result('a'))],
    ['a name that is too long', body(user, asking(call('a', 'n'.repeat(65))), result('a'))],
    ['an id with a space', body(user, asking(call('a b')), result('a b'))],
    ['arguments that are no JSON', body(user, asking(call('a', 'look', '{"a":')), result('a'))],
    ['an empty list of calls', body(user, { role: 'assistant', content: 'x', tool_calls: [] })],
    ['an empty list of tools', { ...body(user), tools: [] }],
    ['a lone surrogate', body({ role: 'user', content: 'x\ud83d' })],
    ['no messages', body()],
    ['a body that is no JSON', '{"model":'],
  ])('refuses %s', async (_name, sent) => {
    const { status, body: answer } = await post(sent);
    expect(status).toBe(400);
    expect(server?.refusals).toEqual([JSON.parse(answer).error.message]);
    expect(server?.requests).toEqual([]);
  });

  it('takes a whole conversation', async () => {
    const { status } = await post(body(user, asking(call('a'), call('b')), result('b'), result('a'), user), [
      text('unused'),
      text('hello'),
    ]);
    expect([status, server?.refusals]).toEqual([200, []]);
  });

  it('is not strict where that is switched off', async () => {
    const { status } = await post(body(user, result('a')), [text('hello')], { strict: false });
    expect(status).toBe(200);
  });
});
