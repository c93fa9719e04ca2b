import { describe, expect, it } from 'vitest';
import { rawBytes, rawChunks } from '../../src/testing/index.js';
import { callDelta, callServed, delta, failureOf } from '../openai-chat/call-served.js';
import { callResponses, ended, item, namedEvents } from '../openai-responses/call-responses.js';

const DEPTH = 100_000;
/** No JSON.stringify could write it. */
const deep = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;
const json = { headers: { 'content-type': 'application/json' } };
const deepFrame = (frame: unknown) => `data: ${JSON.stringify(frame).replace('"DEEP"', deep)}\n\n`;

describe('JSON that is nested 100,000 levels deep', () => {
  it.each([
    ['message', `{"error":{"message":${deep}}}`],
    ['whole', deep],
  ])('as the %s of an error is an error like any other', async (_name, body) => {
    const answer = rawBytes([body], { ...json, status: 500 });
    expect(await failureOf(callServed([answer]))).toMatchObject({
      type: 'Model.Unavailable',
      retryable: true,
    });
  });

  it('as an error inside of a 200 is retried', async () => {
    for (const answer of [rawBytes([`{"error":${deep}}`], json), rawBytes([`data: {"error":${deep}}\n\n`])]) {
      expect(await failureOf(callServed([answer]))).toMatchObject({ type: 'Model.Failed', retryable: true });
      expect(await failureOf(callResponses([answer]))).toMatchObject({
        type: 'Model.Failed',
        retryable: true,
      });
    }
  });

  it('as the arguments of a call is no JSON that could be run', async () => {
    const chat = rawBytes([
      deepFrame(callDelta({ index: 0, id: 'c1', function: { name: 'pay', arguments: 'DEEP' } })),
      deepFrame(delta({}, 'tool_calls')),
    ]);
    const last = ended('completed', [item.call('pay', 'DEEP')]);
    const responses = rawBytes([deepFrame(last)]);
    for (const { response } of [await callServed([chat]), await callResponses([responses])]) {
      expect(response.content).toMatchObject([{ type: 'tool_call', name: 'pay' }]);
      const [part] = response.content;
      expect(() => JSON.parse(part?.type === 'tool_call' ? part.arguments : '{}')).toThrow(SyntaxError);
    }
  });

  it('as something that goes back unread is left out', async () => {
    const last = ended('completed', [
      { type: 'reasoning', summary: [], encrypted_content: 'DEEP' },
      item.text('hi'),
    ]);
    const { response } = await callResponses([rawBytes([deepFrame(last)])]);
    expect(response.content).toMatchObject([{ type: 'reasoning', opaque: '' }, { text: 'hi' }]);
  });
});

describe('a word between the events of a stream', () => {
  it.each(['ping', 'keep-alive', 'heartbeat 12:00:01', ': OPENROUTER'])(
    'such as %s changes nothing',
    async (word) => {
      const said = ['hel', 'lo'].map((content) => `data: ${JSON.stringify(delta({ content }))}`);
      const end = `data: ${JSON.stringify(delta({}, 'stop'))}\n\ndata: [DONE]\n\n`;
      const raw = rawBytes([`data: ${word}\n\n${said.join(`\n\ndata: ${word}\n`)}\n\n${end}`]);
      expect((await callServed([raw])).response.content).toEqual([{ type: 'text', text: 'hello' }]);
    },
  );

  it('that is half of an event refuses the reply', async () => {
    const raw = rawBytes([
      `data: "choices":[]}\n\ndata: ${JSON.stringify(delta({ content: 'a' }, 'stop'))}\n\n`,
    ]);
    expect(await failureOf(callServed([raw]))).toMatchObject({ type: 'Model.BadResponse' });
  });

  it('under the name of an error is one', async () => {
    const raw = rawBytes(['event: error\ndata: overloaded\n\n']);
    expect(await failureOf(callServed([raw]))).toMatchObject({ type: 'Model.Overloaded' });
  });
});

describe('a Responses stream without the places of its items', () => {
  const text = { ...item.text('hello there'), id: 'msg_1' };
  const parts = (extra: object) =>
    ['hello', ' there'].map((piece) => ({ type: 'response.output_text.delta', delta: piece, ...extra }));
  const added = { type: 'response.output_item.added', item: { ...text, content: [] } };
  const done = { type: 'response.output_item.done', item: text };
  const call = { ...item.call('pay', '{"sum":1}'), id: 'fc_1' };
  const callDone = { type: 'response.output_item.done', item: call };

  it.each([
    ['nothing but deltas', parts({})],
    ['deltas with the id of their item', parts({ item_id: 'msg_1' })],
    ['items, too', [added, ...parts({ item_id: 'msg_1' }), done]],
    ['items, and deltas that name none', [added, ...parts({}), done]],
    ['deltas, and the item at its end', [...parts({}), done]],
  ])('shows each text once: %s', async (_name, events) => {
    for (const output of [[text, call], []]) {
      const raw = rawBytes(namedEvents(...events, callDone, ended('completed', output)));
      const { response, streamed } = await callResponses([raw]);
      expect(streamed).toBe('hello there');
      expect(response.content).toMatchObject([
        { text: 'hello there' },
        { name: 'pay', arguments: '{"sum":1}' },
      ]);
    }
  });

  it('never gives the arguments of one open call to another', async () => {
    const open = (name: string) => ({
      type: 'response.output_item.added',
      item: { ...item.call(name, '', 'in_progress'), id: undefined, call_id: name },
    });
    const whole = { type: 'response.function_call_arguments.done', arguments: '{"sum":1}' };
    const raw = rawBytes(namedEvents(open('pay'), open('refund'), whole, ended('completed', [])));
    expect((await callResponses([raw])).response.stopReason).toBe('max_tokens');
  });
});

describe('usage of an answer that came to nothing', () => {
  it.each([
    ['half of a body', rawBytes(['{"choices":[{"mess'], json), 'unknown'],
    ['a stream that ended before its first event', rawBytes([': hello\n\n']), 'unknown'],
    ['a page', rawBytes(['<html></html>'], { headers: { 'content-type': 'text/html' } }), undefined],
    ['an error', rawChunks([{ error: { message: 'No.' } }]), undefined],
  ])('of %s is %s', async (_name, answer, usage) => {
    expect(await failureOf(callServed([answer]))).toHaveProperty('usage', usage);
  });
});
