import { describe, expect, it } from 'vitest';
import { type Message, textContent } from '../../src/shared/messages.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import {
  attempts,
  fault,
  rawChunks,
  reasoning,
  reply,
  type Script,
  scriptedModel,
  text,
  toolCall,
} from '../../src/testing/index.js';

const user: Message = { role: 'user', id: 'u', content: textContent('u', 'Where is W1?') };
const assistant: Message = { role: 'assistant', id: 'a', content: textContent('a', 'Let me see.') };

function request(...messages: Message[]): ModelRequest {
  return { model: 'm', instructions: '', messages, tools: [] };
}

function context(attempt = 1, signal = new AbortController().signal) {
  const pieces: string[] = [];
  return { signal, attempt, pieces, onText: (piece: string) => void pieces.push(piece) };
}

const ask = (script: Script, attempt = 1) => scriptedModel(script).call(request(user), context(attempt));

describe('a scripted model', () => {
  it('says the reply of its place in the conversation, whoever asked before', async () => {
    const script = [toolCall('look', { id: 'W1' }), text('It is on its way.')];
    const second = await scriptedModel(script).call(request(user, assistant, user), context());
    const first = await scriptedModel(script).call(request(user), context());
    expect(second).toMatchObject({
      content: [{ type: 'text', text: 'It is on its way.' }],
      stopReason: 'end_turn',
    });
    expect(first).toMatchObject({
      content: [{ type: 'tool_call', id: 'call_0_0', name: 'look', arguments: '{"id":"W1"}' }],
      stopReason: 'tool_use',
    });
  });

  it('streams its text in pieces that join to the whole', async () => {
    const said = 'Ünïcödé 😀😀😀😀😀😀 and more';
    const watched = context();
    await scriptedModel([text(said)], { pieceChars: 3 }).call(request(user), watched);
    expect(watched.pieces.length).toBeGreaterThan(5);
    expect(watched.pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect(watched.pieces.join('')).toBe(said);
  });

  it('says several things in one reply, with the ending and the usage that are written', async () => {
    const several = reply(
      reasoning('hm'),
      text('Both.'),
      toolCall('a'),
      toolCall('b', '{"broken":', { id: 'z' }),
      {
        finish: 'length',
        usage: { inputTokens: 7 },
      },
    );
    expect(await ask([several])).toEqual({
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'Both.' },
        { type: 'tool_call', id: 'call_0_2', name: 'a', arguments: '{}' },
        { type: 'tool_call', id: 'z', name: 'b', arguments: '{"broken":' },
      ],
      stopReason: 'max_tokens',
      model: 'm',
      usage: { inputTokens: 7 },
    });
  });

  it('tells no usage where the script says so', async () => {
    expect(await ask([reply(text('hello'), { usage: null })])).not.toHaveProperty('usage');
  });

  it('answers by what it reads, where the entry is a function', async () => {
    const response = await ask([(messages) => text(`${messages.length} message`)]);
    expect(response.content).toEqual([{ type: 'text', text: '1 message' }]);
  });

  it('fails and then answers, by the number of the try', async () => {
    const script = [
      attempts(fault({ status: 429, retryAfter: 2 }), fault({ cut: true, afterChars: 4 }), text('hello')),
    ];
    await expect(ask(script, 1)).rejects.toMatchObject({
      type: 'Model.RateLimited',
      retryable: true,
      retryAfterMs: 2000,
    });
    await expect(ask(script, 2)).rejects.toMatchObject({ type: 'Model.StreamCut', retryable: true });
    expect(await ask(script, 3)).toMatchObject({ content: [{ type: 'text', text: 'hello' }] });
    expect(await ask(script, 4)).toMatchObject({ content: [{ type: 'text', text: 'hello' }] });
  });

  it('streams what comes before a fault', async () => {
    const watched = context();
    const called = scriptedModel([fault({ status: 500, afterChars: 4, text: 'hello' })]).call(
      request(user),
      watched,
    );
    await expect(called).rejects.toMatchObject({ type: 'Model.Unavailable' });
    expect(watched.pieces.join('')).toBe('hell');
  });

  it('says, not retryable, when the script is at its end', async () => {
    const called = scriptedModel([text('hello')]).call(request(user, assistant, user), context());
    await expect(called).rejects.toMatchObject({
      type: 'Model.Misconfigured',
      retryable: false,
      message: expect.stringContaining('The script has 1 reply, model call 2 was made'),
    });
  });

  it('keeps what it was asked, as it was then', async () => {
    const model = scriptedModel([text('hello')]);
    const messages: Message[] = [user];
    await model.call({ ...request(), messages }, context(3));
    messages.push(assistant);
    expect(model.requests).toEqual([{ ...request(user), attempt: 3 }]);
  });

  it.each([
    ['in a delay', reply(text('hello'), { delayMs: Infinity })],
    ['in a fault that never comes', fault({ delayMs: Infinity })],
  ])('ends at once when it is aborted %s', async (_name, entry) => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const called = scriptedModel([entry]).call(request(user), context(1, controller.signal));
    controller.abort(reason);
    await expect(called).rejects.toBe(reason);
  });

  it('ends at once when it is aborted while a function of the script decides', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const undecided: Script = [() => new Promise(() => controller.abort(reason))];
    const called = scriptedModel(undecided).call(request(user), context(1, controller.signal));
    await expect(called).rejects.toBe(reason);
  });

  it('ends at the piece where it is aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('interrupted');
    const pieces: string[] = [];
    const called = scriptedModel([text('one two three')], { pieceChars: 4 }).call(request(user), {
      signal: controller.signal,
      attempt: 1,
      onText(piece) {
        pieces.push(piece);
        if (pieces.length === 2) controller.abort(reason);
      },
    });
    await expect(called).rejects.toBe(reason);
    expect(pieces).toEqual(['one ', 'two ']);
  });

  it('says that raw bytes need the server', async () => {
    await expect(ask([rawChunks([])])).rejects.toMatchObject({ type: 'Model.Misconfigured' });
  });
});
