import { afterEach, describe, expect, it } from 'vitest';
import { fallback } from '../../src/activities/fallback.js';
import { openai } from '../../src/activities/openai/openai.js';
import type { Resume } from '../../src/shared/model-port.js';
import {
  fault,
  reply,
  type Script,
  type ServedModel,
  serveScriptedModel,
  text,
} from '../../src/testing/index.js';
import { failureOf, requestOf } from '../openai-chat/call-served.js';
import { contextWith } from './call-responses.js';

let server: ServedModel | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** What a heartbeat would carry from one try to the next. */
function memory(
  kept: string | undefined = undefined,
  goesOn = false,
): Resume & { kept: () => string | undefined } {
  let value = kept;
  return {
    get: () => value,
    async set(id) {
      value = id || undefined;
    },
    goesOn: () => goesOn,
    kept: () => value,
  };
}

async function serve(script: Script) {
  server = await serveScriptedModel(script);
  return { server, model: openai({ model: 'm', baseURL: server.url, api: 'responses', background: true }) };
}

describe('a background call', () => {
  it('is stored, polled to its end, and its text is shown then', async () => {
    const { model } = await serve([reply(text('hello'), { delayMs: 100 })]);
    let streamed = '';
    const onText = (piece: string) => {
      streamed += piece;
    };
    const response = await model.call(requestOf(), contextWith({ onText }));
    expect(response).toMatchObject({ content: [{ type: 'text', text: 'hello' }], model: 'scripted' });
    expect(streamed).toBe('hello');
    expect(server?.responses[0]?.body).toMatchObject({ background: true, store: true, stream: false });
  });

  it('is gone on with by the next try, on whatever worker', async () => {
    const { server, model } = await serve([reply(text('hello'), { delayMs: 50 })]);
    const resume = memory();
    const leaving = new AbortController();
    const first = model.call(
      requestOf(),
      contextWith({ signal: leaving.signal, resume: { ...resume, goesOn: () => true } }),
    );
    const lost = expect(first).rejects.toThrow('leaves');
    await expect.poll(resume.kept).toBe('resp_1');
    leaving.abort(new Error('the worker leaves'));
    await lost;
    const response = await model.call(
      requestOf(),
      contextWith({ resume: memory(resume.kept()), attempt: 2 }),
    );
    expect(response.content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(server.responses).toHaveLength(1);
    expect(server.cancelled).toEqual([]);
  });

  it('is cancelled at the provider by an interrupt', async () => {
    const { server, model } = await serve([reply(text('hello'), { delayMs: Infinity })]);
    const resume = memory();
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const called = expect(
      model.call(requestOf(), contextWith({ signal: controller.signal, resume })),
    ).rejects.toBe(reason);
    await expect.poll(resume.kept).toBe('resp_1');
    controller.abort(reason);
    await called;
    expect(server.cancelled).toEqual(['resp_1']);
  });

  it('that is interrupted while it begins is cancelled, too', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const { server, model } = await serve([
      () => {
        controller.abort(reason);
        return reply(text('hello'), { delayMs: Infinity });
      },
    ]);
    await expect(model.call(requestOf(), contextWith({ signal: controller.signal }))).rejects.toBe(reason);
    expect(server.cancelled).toEqual(['resp_1']);
  });

  it('of a provider that does not answer holds an interrupt up for no longer than a moment', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const { model } = await serve([
      () => {
        controller.abort(reason);
        return fault({ delayMs: Infinity });
      },
    ]);
    await expect(model.call(requestOf(), contextWith({ signal: controller.signal }))).rejects.toBe(reason);
  });

  it('is cancelled at the provider if it can not be remembered', async () => {
    const { server, model } = await serve([reply(text('hello'), { delayMs: Infinity })]);
    const resume: Resume = { ...memory(), set: () => Promise.reject(new Error('no server')) };
    await expect(model.call(requestOf(), contextWith({ resume }))).rejects.toThrow('no server');
    expect(server.cancelled).toEqual(['resp_1']);
  });

  it('begins anew where the provider no longer knows it', async () => {
    const { model } = await serve([text('hello')]);
    const resume = memory('resp_of_yesterday');
    const response = await model.call(requestOf(), contextWith({ resume }));
    expect(response.content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(resume.kept()).toBe('resp_1');
  });

  it('that failed is forgotten, so that the next try begins anew', async () => {
    const body = { error: { code: 'server_error', message: 'The oven is cold.' } };
    const { model } = await serve([fault({ status: 500, afterChars: 1, body })]);
    const resume = memory();
    const failure = await failureOf(model.call(requestOf(), contextWith({ resume })));
    expect(failure).toMatchObject({ type: 'Model.Unavailable', retryable: true });
    expect(resume.kept()).toBeUndefined();
  });

  it('that says nothing is forgotten, too', async () => {
    const { model } = await serve([reply()]);
    const resume = memory();
    expect(await failureOf(model.call(requestOf(), contextWith({ resume })))).toMatchObject({
      type: 'Model.EmptyReply',
    });
    expect(resume.kept()).toBeUndefined();
  });

  it('that is refused at once fails like any other', async () => {
    const { model } = await serve([fault({ status: 401 })]);
    expect(await failureOf(model.call(requestOf(), contextWith()))).toMatchObject({
      type: 'Model.Authentication',
    });
  });

  it('of a fallback goes on with the one that began it', async () => {
    const { server, model } = await serve([reply(text('hello'), { delayMs: 50 })]);
    const gone = await serveScriptedModel([]);
    await gone.close();
    const other = openai({ baseURL: gone.url });
    const resume = memory();
    await fallback([other, model]).call(requestOf(), contextWith({ resume }));
    expect(resume.kept()).toBe('1:resp_1');
    const again = await fallback([other, model]).call(
      requestOf(),
      contextWith({ resume: memory('1:resp_1') }),
    );
    expect(again.content).toEqual([{ type: 'text', text: 'hello' }]);
    expect(server.responses).toHaveLength(1);
  });
});
