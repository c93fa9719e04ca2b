import { describe, expect, it } from 'vitest';
import { rawBytes, rawChunks } from '../../src/testing/index.js';
import { callDelta, callServed, delta, failureOf } from './call-served.js';

const finish = (reason: string) => delta({}, reason);
const said = '你好🌍';

describe('bytes', () => {
  const text = `data: ${JSON.stringify(delta({ content: said }))}\n\n`;
  const call = `data: ${JSON.stringify(
    callDelta({ index: 0, id: 'a', function: { name: 'say', arguments: JSON.stringify({ said }) } }),
  )}\n\n`;
  const bytes = new TextEncoder().encode(
    `${text}${call}data: ${JSON.stringify(finish('tool_calls'))}\n\ndata: [DONE]\n\n`,
  );

  // MC-062, O17
  it('gives the same text and arguments wherever the network cuts the bytes', async () => {
    const cuts = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1);
    for (const cut of cuts) {
      const { response, streamed } = await callServed([rawBytes([bytes.slice(0, cut), bytes.slice(cut)])]);
      expect(streamed, `cut at ${cut}`).toBe(said);
      expect(response.content, `cut at ${cut}`).toEqual([
        { type: 'text', text: said },
        { type: 'tool_call', id: 'a', name: 'say', arguments: JSON.stringify({ said }) },
      ]);
    }
  });

  it('gives the same text when each byte comes alone', async () => {
    const { streamed } = await callServed([rawBytes([...bytes].map((byte) => Uint8Array.of(byte)))]);
    expect(streamed).toBe(said);
  });

  const hello = JSON.stringify(delta({ content: 'hello' }));
  const stop = JSON.stringify(finish('stop'));
  it.each([
    ['CRLF line ends', `data: ${hello}\r\n\r\ndata: ${stop}\r\n\r\n`],
    ['CR line ends', `data: ${hello}\r\rdata: ${stop}\r\r`],
    ['mixed line ends', `data: ${hello}\n\r\ndata: ${stop}\r\n\n`],
    ['comments', `: OPENROUTER PROCESSING\n\ndata: ${hello}\n: ping\n\n:\n\ndata: ${stop}\n\n`],
    ['no space after data:', `data:${hello}\n\ndata:${stop}\n\n`],
    ['event and id fields', `event: message\nid: 1\nretry: 10\ndata: ${hello}\n\ndata: ${stop}\n\n`],
    ['no blank lines', `data: ${hello}\ndata: ${stop}\ndata: [DONE]\n`],
    ['no line end at the end', `data: ${hello}\n\ndata: ${stop}`],
    ['JSON on several data lines', `data: ${hello.replace('{', '{\ndata: ')}\n\ndata: ${stop}\n\n`],
    ['empty data', `data:\n\ndata: ${hello}\n\ndata: ${stop}\n\n`],
    ['a byte order mark', `\ufeffdata: ${hello}\n\ndata: ${stop}\n\n`],
    ['no [DONE]', `data: ${hello}\n\ndata: ${stop}\n\n`],
  ])('reads a stream with %s', async (_name, stream) => {
    const { response, streamed } = await callServed([rawBytes([stream])]);
    expect(streamed).toBe('hello');
    expect(response).toMatchObject({ content: [{ type: 'text', text: 'hello' }], stopReason: 'end_turn' });
  });

  it.each(['application/json', 'text/plain', 'application/octet-stream'])(
    'reads a stream that says it is %s',
    async (type) => {
      const raw = rawChunks([delta({ content: 'hello' }), finish('stop')], {
        headers: { 'content-type': type },
      });
      expect((await callServed([raw])).streamed).toBe('hello');
    },
  );

  it('reads a whole reply from a gateway that does not stream', async () => {
    const message = {
      role: 'assistant',
      content: 'hello',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'ping', arguments: '{}' } }],
    };
    const body = JSON.stringify({
      model: 'm-1',
      choices: [{ message, finish_reason: null }],
      usage: { prompt_tokens: 3 },
    });
    const raw = rawBytes([body], { headers: { 'content-type': 'application/json' } });
    const { response, streamed } = await callServed([raw]);
    expect(streamed).toBe('hello');
    expect(response).toEqual({
      content: [
        { type: 'text', text: 'hello' },
        { type: 'tool_call', id: 'a', name: 'ping', arguments: '{}' },
      ],
      stopReason: 'tool_use',
      model: 'm-1',
      usage: { inputTokens: 3 },
    });
  });
});

describe('frames', () => {
  // O18
  it('takes usage frames without choices, empty choices, null deltas and missing roles', async () => {
    const { response } = await callServed([
      rawChunks([
        { choices: [] },
        { usage: null },
        { choices: [{ delta: null }] },
        { choices: [{}] },
        null,
        delta({ content: null }),
        delta({ content: 'hel' }),
        delta({ content: [{ type: 'text', text: 'lo' }] }),
        finish('stop'),
        { usage: { prompt_tokens: 1, completion_tokens: 1 } },
        {
          choices: [],
          usage: {
            prompt_tokens: 12,
            completion_tokens: 5,
            prompt_tokens_details: { cached_tokens: 8 },
            completion_tokens_details: { reasoning_tokens: null },
          },
        },
        '[DONE]',
      ]),
    ]);
    expect(response).toEqual({
      content: [{ type: 'text', text: 'hello' }],
      stopReason: 'end_turn',
      model: 'scripted',
      usage: { inputTokens: 12, cachedInputTokens: 8, outputTokens: 5 },
    });
  });

  it('tells no usage where the provider tells none', async () => {
    const { response } = await callServed([rawChunks([delta({ content: 'hello' }), finish('stop')])]);
    expect(response).not.toHaveProperty('usage');
  });

  it.each(['reasoning_content', 'reasoning'])(
    'keeps what comes as %s, apart from the text',
    async (field) => {
      const { response, streamed } = await callServed([
        rawChunks([
          delta({ [field]: 'I thi' }),
          delta({ [field]: 'nk' }),
          delta({ content: 'Yes' }),
          finish('stop'),
        ]),
      ]);
      expect(streamed).toBe('Yes');
      expect(response.content).toEqual([
        { type: 'reasoning', text: 'I think', opaque: expect.stringContaining(`"field":"${field}"`) },
        { type: 'text', text: 'Yes' },
      ]);
    },
  );

  it('shows a refusal as text, with its stop reason', async () => {
    const { response } = await callServed([rawChunks([delta({ refusal: 'I can not.' }), finish('stop')])]);
    expect(response).toMatchObject({
      content: [{ type: 'text', text: 'I can not.' }],
      stopReason: 'refusal',
    });
  });

  it('does not wait for a connection that stays open after [DONE]', async () => {
    const raw = rawChunks([delta({ content: 'hello' }), finish('stop'), '[DONE]'], { ending: 'open' });
    expect((await callServed([raw])).streamed).toBe('hello');
  });

  it('keeps a reply whose connection breaks after its finish reason', async () => {
    const raw = rawChunks([delta({ content: 'hello' }), finish('stop')], { ending: 'cut' });
    expect((await callServed([raw])).streamed).toBe('hello');
  });
});

describe('a stream without its ending', () => {
  const whole = callDelta({ index: 0, id: 'a', function: { name: 'pay', arguments: '{"sum":1}' } });
  const half = callDelta({ index: 0, id: 'a', function: { name: 'pay', arguments: '{"sum":1' } });
  const hello = delta({ content: 'hello' });

  it.each([
    ['closed after text', rawChunks([hello])],
    ['cut after text', rawChunks([hello], { ending: 'cut' })],
    ['closed after a whole call', rawChunks([whole])],
    ['closed before anything', rawBytes([])],
    ['cut before anything', rawBytes([], { ending: 'cut' })],
    ['cut inside of an event', rawBytes([`data: ${JSON.stringify(hello)}\n\ndata: {"choi`])],
    ['[DONE] after half of a call', rawChunks([half, '[DONE]'])],
    ['[DONE] after text', rawChunks([hello, '[DONE]'])],
    ['empty finish reasons', rawChunks([delta({ content: 'hello' }, '')])],
  ])('is refused, retryable: %s', async (_name, raw) => {
    const failure = await failureOf(callServed([raw]));
    expect(failure).toMatchObject({ type: 'Model.StreamCut', retryable: true });
  });

  it('is believed where [DONE] stands after calls that are whole', async () => {
    const { response } = await callServed([rawChunks([whole, '[DONE]'])]);
    expect(response.stopReason).toBe('tool_use');
  });
});
