import { describe, expect, it } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import { rawBytes, serveScriptedModel } from '../../src/testing/index.js';
import { failureOf, requestOf } from '../openai-chat/call-served.js';
import { callResponses, contextWith, done, ended, item, namedEvents, textDelta } from './call-responses.js';

const said = '你好🌍';
const written = JSON.stringify({ said });
const events = namedEvents(
  { type: 'response.created', response: { id: 'resp_1', model: 'm-1', status: 'in_progress', output: [] } },
  { type: 'response.output_item.added', output_index: 0, item: { ...item.text(''), content: [] } },
  textDelta(0, said),
  done(0, item.text(said)),
  { type: 'response.output_item.added', output_index: 1, item: item.call('say', '', 'in_progress') },
  { type: 'response.function_call_arguments.delta', output_index: 1, delta: written },
  { type: 'response.function_call_arguments.done', output_index: 1, arguments: written },
  done(1, item.call('say', written)),
  ended('completed', [item.text(said), item.call('say', written)], {
    usage: {
      input_tokens: 7,
      output_tokens: 5,
      input_tokens_details: { cached_tokens: 2 },
      output_tokens_details: { reasoning_tokens: 1 },
    },
  }),
);
const whole = {
  content: [
    { type: 'text', text: said },
    { type: 'tool_call', id: 'call_1', name: 'say', arguments: written },
  ],
  stopReason: 'tool_use',
  model: 'm-1',
  usage: { inputTokens: 7, cachedInputTokens: 2, outputTokens: 5, reasoningTokens: 1 },
};

describe('bytes of a Responses stream', () => {
  const bytes = new TextEncoder().encode(events.join(''));

  // MC-062, O17
  it('give the same reply wherever the network cuts them', async () => {
    const few = namedEvents(textDelta(0, said), done(1, item.call('say', written)), ended('completed', []));
    const bytes = new TextEncoder().encode(few.join(''));
    let cut = 0;
    const server = await serveScriptedModel([() => rawBytes([bytes.slice(0, cut), bytes.slice(cut)])]);
    const model = openai({ baseURL: server.url, api: 'responses' });
    for (cut = 1; cut < bytes.length; cut++) {
      const { content } = await model.call(requestOf(), contextWith());
      expect(content, `cut at ${cut}`).toEqual(whole.content);
    }
    await server.close();
  });

  const all = events.join('');
  it.each([
    ['each byte alone', [...bytes].map((byte) => Uint8Array.of(byte))],
    ['CRLF line ends', [all.replaceAll('\n', '\r\n')]],
    ['CR line ends', [all.replaceAll('\n', '\r')]],
    ['comments', [`: OPENROUTER PROCESSING\n\n${all.replaceAll('event:', ': ping\nevent:')}`]],
    ['no space after the colon', [all.replaceAll('data: ', 'data:')]],
    ['no event names', [all.replaceAll(/event: .*\n/g, '')]],
    ['no blank lines', [all.replaceAll('\n\n', '\n')]],
    ['[DONE] after the last event', [`${all}data: [DONE]\n\n`]],
    ['no line end at the end', [all.trimEnd()]],
    ['events of kinds that nobody knows', [`event: x.y\ndata: {"type":"x.y","delta":"no"}\n\n${all}`]],
  ])('give the same reply with %s', async (_name, pieces) => {
    const { response, streamed } = await callResponses([rawBytes(pieces)]);
    expect([response, streamed]).toEqual([whole, said]);
  });

  it('give the same reply as one body', async () => {
    const { response: body } = ended('completed', [item.text(said), item.call('say', written)], {
      usage: whole.usage,
      error: null,
    });
    const json = rawBytes([JSON.stringify(body)], { headers: { 'content-type': 'application/json' } });
    for (const stream of [true, false]) {
      const { response, streamed } = await callResponses([json], { stream });
      expect(response).toMatchObject({ content: whole.content, stopReason: 'tool_use' });
      expect(streamed).toBe(said);
    }
  });

  it('take the items that were marked as done where the last event lists none', async () => {
    const raw = rawBytes([...events.slice(0, -1), ...namedEvents(ended('completed', []))]);
    expect((await callResponses([raw])).response).toMatchObject({ content: whole.content });
  });

  it('show a text that is only sent whole', async () => {
    const raw = rawBytes(namedEvents(done(0, item.text(said)), ended('completed', [item.text(said)])));
    expect((await callResponses([raw])).streamed).toBe(said);
  });

  it('do not wait for a connection that stays open after the last event', async () => {
    const { streamed } = await callResponses([rawBytes([...events, 'data: [DONE]\n\n'], { ending: 'open' })]);
    expect(streamed).toBe(said);
  });

  it('keep a reply whose connection breaks after its last event', async () => {
    expect((await callResponses([rawBytes(events, { ending: 'cut' })])).response).toEqual(whole);
  });
});

describe('the ending of a Responses stream', () => {
  const call = item.call('pay', '{"sum":1}');
  const cut = item.call('pay', '{"sum":1', 'incomplete');
  const refusal = { ...item.text(''), content: [{ type: 'refusal', refusal: 'I can not.' }] };
  const because = (reason: string) => ({ incomplete_details: { reason } });

  it.each([
    ['completed with a call', ended('completed', [call]), 'tool_use'],
    ['completed with a text', ended('completed', [item.text('hello')]), 'end_turn'],
    ['completed with a call that is marked as cut', ended('completed', [cut]), 'max_tokens'],
    ['cut by the output limit', ended('incomplete', [cut], because('max_output_tokens')), 'max_tokens'],
    ['cut for a reason that nobody knows', ended('incomplete', [call], because('x')), 'max_tokens'],
    ['cut without a reason', ended('incomplete', [call]), 'max_tokens'],
    ['filtered', ended('incomplete', [call], because('content_filter')), 'refusal'],
    ['refused', ended('completed', [refusal]), 'refusal'],
  ])('%s is the stop reason', async (_name, last, stopReason) => {
    const { response } = await callResponses([rawBytes(namedEvents(last))]);
    expect(response.stopReason).toBe(stopReason);
  });

  it.each([
    ['before anything', []],
    ['after a text', [textDelta(0, 'hello')]],
    ['after a whole call', [done(0, call)]],
    [
      'in the middle of a call',
      [{ type: 'response.function_call_arguments.delta', output_index: 0, delta: '{' }],
    ],
  ])('that is missing makes it a cut stream: %s', async (_name, sent) => {
    for (const ending of ['close', 'cut'] as const) {
      for (const last of [[], ['data: [DONE]\n\n']]) {
        if (ending === 'cut' && last.length > 0) continue;
        const raw = rawBytes([...namedEvents(...sent), ...last], { ending });
        const failure = await failureOf(callResponses([raw]));
        expect(failure).toMatchObject({ type: 'Model.StreamCut', retryable: true });
      }
    }
  });

  it('never makes a call whole that was only begun', async () => {
    const raw = rawBytes(
      namedEvents(
        { type: 'response.output_item.added', output_index: 0, item: item.call('pay', '', 'in_progress') },
        { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"sum":1}' },
        ended('completed', []),
      ),
    );
    expect((await callResponses([raw])).response.stopReason).toBe('max_tokens');
  });

  // O04
  it.each([
    ['nothing', ended('completed', [])],
    ['an empty text', ended('completed', [item.text(' \n')])],
    ['reasoning alone', ended('completed', [{ type: 'reasoning', summary: [{ text: 'hm' }] }])],
  ])('with %s is an empty reply, asked for once more', async (_name, last) => {
    const failure = await failureOf(callResponses([rawBytes(namedEvents(last))]));
    expect(failure).toMatchObject({ type: 'Model.EmptyReply', retryable: true, maxAttempts: 2 });
  });
});

describe('a fault of a Responses stream', () => {
  const error = (code: string | null, message = 'No.') => ({ code, message });
  const json = { headers: { 'content-type': 'application/json' } };

  it.each([
    ['server_error', 'Model.Unavailable', true],
    ['server_is_overloaded', 'Model.Overloaded', true],
    ['slow_down', 'Model.Overloaded', true],
    ['rate_limit_exceeded', 'Model.RateLimited', true],
    ['insufficient_quota', 'Model.QuotaExceeded', false],
    ['context_length_exceeded', 'Model.ContextTooLong', false],
    ['invalid_prompt', 'Model.BadRequest', false],
    ['unsupported_image_media_type', 'Model.BadRequest', false],
    ['invalid_api_key', 'Model.Authentication', false],
    ['never_heard_of', 'Model.Failed', true],
  ])('%s is %s, as an event, as a failed response and as a body', async (code, type, retryable) => {
    const failed = ended('failed', [], { error: error(code) });
    const sent = [
      rawBytes(namedEvents(textDelta(0, 'hel'), { ...error(code), type: 'error', param: null })),
      rawBytes(namedEvents({ type: 'error', error: error(code) })),
      rawBytes([`data: ${JSON.stringify({ error: error(code) })}\n\n`]),
      rawBytes(namedEvents(textDelta(0, 'hel'), failed)),
      rawBytes([JSON.stringify(failed.response)], json),
    ];
    for (const raw of sent) expect(await failureOf(callResponses([raw]))).toMatchObject({ type, retryable });
  });

  it('carries how long to wait, where only its text says so', async () => {
    const message = 'Rate limit reached. Please try again in 1.25s. Visit the dashboard.';
    const raw = rawBytes(namedEvents({ ...error('rate_limit_exceeded', message), type: 'error' }));
    expect(await failureOf(callResponses([raw]))).toMatchObject({ retryAfterMs: 1250 });
  });

  it('without a word is one that passes', async () => {
    const raw = rawBytes(namedEvents(ended('failed', [], { error: null })));
    expect(await failureOf(callResponses([raw]))).toMatchObject({
      type: 'Model.Unavailable',
      retryable: true,
    });
  });
});
