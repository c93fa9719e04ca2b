import { callDelta, delta } from '../openai-chat/call-served.js';
import { item, namedEvents } from '../openai-responses/call-responses.js';

/** A recorded stream, frame by frame, with the arguments that it sends whole. */
export type Recorded = { api: 'chat' | 'responses'; frames: string[]; whole: string[]; lastFrame: string };

const pay = JSON.stringify({ to: 'Ünïcode 🌍', sum: 12, note: 'a "quoted" {brace}' });
const look = JSON.stringify({ path: 'a/b', deep: { list: [1, 2, { x: null }] } });

function pieces(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  );
}

const data = (chunk: unknown) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`;
const chatEnd = data(delta({}, 'tool_calls'));

function chat(fragments: unknown[]): Recorded {
  const opening = [
    { choices: [] },
    delta({ role: 'assistant', content: '' }),
    delta({ reasoning: 'h', reasoning_details: [{ type: 'reasoning.text', text: 'h', index: 0 }] }),
    delta({ content: 'I will 支付.' }),
  ];
  const chunks = [...opening, ...fragments.map((one) => callDelta(one)), delta({}, 'tool_calls')];
  const usage = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } };
  return {
    api: 'chat',
    frames: [...chunks, usage, '[DONE]'].map(data),
    whole: [pay, look],
    lastFrame: chatEnd,
  };
}

const named = (index: number | undefined, id: string, name: string, written = '') => ({
  ...(index !== undefined && { index }),
  id,
  type: 'function',
  function: { name, arguments: written },
});
const more = (index: number | undefined, written: string) => ({
  ...(index !== undefined && { index }),
  function: { arguments: written },
});

function call(index: number | undefined, id: string, name: string, written: string, size: number): unknown[] {
  return [named(index, id, name), ...pieces(written, size).map((piece) => more(index, piece))];
}

/** Another id on each chunk. */
function withNewIds(fragments: unknown[], name: string): unknown[] {
  return fragments.map((one, at) => ({ ...(one as object), id: `${name}${at}` }));
}

/** Its arguments begin with `{}`, and its id comes with each piece. */
function emptyAtFirst(id: string, name: string, written: string, size: number): unknown[] {
  return [
    named(undefined, id, name, '{}'),
    ...pieces(written, size).map((piece) => more(undefined, piece)),
  ].map((one) => ({ ...one, id }));
}

/** `hasArguments`: the items have them, too, and not only the events before. */
function responses(size: number, endsWithItems: boolean, hasArguments = true): Recorded {
  const calls = [item.call('pay', pay), { ...item.call('look', look), id: 'fc_2', call_id: 'call_2' }];
  const response = (status: string, output: object[]) => ({
    type: `response.${status}`,
    response: { id: 'resp_1', object: 'response', status, model: 'm', output },
  });
  const asItem = (one: (typeof calls)[number]) => (hasArguments ? one : { ...one, arguments: undefined });
  const last = { ...response('completed', endsWithItems ? calls.map(asItem) : []) };
  const events = [
    { ...response('created', []), response: { ...response('created', []).response, status: 'in_progress' } },
    { type: 'response.output_text.delta', output_index: 0, delta: 'I will 支付.' },
    { type: 'response.output_item.done', output_index: 0, item: item.text('I will 支付.') },
    ...calls.flatMap((one, at) => [
      {
        type: 'response.output_item.added',
        output_index: at + 1,
        item: { ...one, arguments: '', status: 'in_progress' },
      },
      ...pieces(one.arguments, size).map((piece) => ({
        type: 'response.function_call_arguments.delta',
        output_index: at + 1,
        delta: piece,
      })),
      { type: 'response.function_call_arguments.done', output_index: at + 1, arguments: one.arguments },
      { type: 'response.output_item.done', output_index: at + 1, item: asItem(one) },
    ]),
    last,
  ];
  const frames = namedEvents(...events);
  return {
    api: 'responses',
    frames,
    whole: [pay, look],
    lastFrame: namedEvents(response('completed', [])).join(''),
  };
}

export const recorded: Recorded[] = [
  chat([...call(0, 'a', 'pay', pay, 5), ...call(1, 'b', 'look', look, 7)]),
  chat([...call(0, 'a', 'pay', pay, 9), ...call(0, 'b', 'look', look, 3)]),
  chat([...call(undefined, 'a', 'pay', pay, 9), ...call(undefined, 'b', 'look', look, 4)]),
  chat([named(0, 'a', 'pay', pay), named(2, '', 'look', look)]),
  chat([...withNewIds(call(0, '', 'pay', pay, 8), 'a'), ...withNewIds(call(1, '', 'look', look, 6), 'b')]),
  chat([...withNewIds(call(0, '', 'pay', pay, 8), 'a'), ...withNewIds(call(0, '', 'look', look, 6), 'b')]),
  chat([...emptyAtFirst('a', 'pay', pay, 9), ...emptyAtFirst('b', 'look', look, 4)]),
  responses(6, true),
  responses(11, false),
  responses(8, false, false),
  responses(8, true, false),
];

/** Mulberry32: the same numbers from the same seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = ReturnType<typeof randomFrom>;

const encoder = new TextEncoder();
const junk = [
  ': keep-alive\n\n',
  '\n\n\n',
  '\r\n',
  'data:\n\n',
  'data: null\n\n',
  'data: {"choices":[]}\n\n',
  'data: {"choices":[{"delta":null}]}\n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'id: 7\nretry: 10\n',
  'data: {"error":{"message":"Overloaded","code":503}}\n\n',
  'event: error\ndata: {"code":"server_error","message":"No."}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[{}]}}]}\n\n',
  'data: {"choices":[{"delta":{"tool_calls":[null,7,{"index":null,"function":null}]}}]}\n\n',
  'data: {"type":"response.output_item.done","output_index":{},"item":null}\n\n',
  'data: {"type":"response.completed","response":null}\n\n',
  'data: {"type":"response.output_text.delta","delta":{"a":1}}\n\n',
  'data: {broken\n\n',
  '<html><head><title>504 Gateway Time-out</title></head></html>\n',
  '\0\ufeff\ud83d\n',
];

/** `forged`: after the cut comes an ending or `[DONE]`, so that nobody can see that the arguments of a call are missing. */
export type Cut = { bytes: Uint8Array; forged: boolean };

/** Cut anywhere, and whatever may come after a cut; or junk between two frames. No frame itself is changed. */
export function cutOrInterrupted(stream: Recorded, random: Random): Cut {
  const { frames, lastFrame } = stream;
  const pick = () => junk[random(junk.length)] ?? '';
  if (random(3) === 0) {
    const at = random(frames.length);
    const after = random(2) === 1 ? [pick()] : [];
    const all = [...frames.slice(0, at), pick(), ...frames.slice(at), ...after].join('');
    return { bytes: encoder.encode(all), forged: false };
  }
  const bytes = encoder.encode(frames.join(''));
  const cut = bytes.slice(0, random(bytes.length));
  const forged = `\n\n${lastFrame}`;
  const all = frames.join('');
  const done = 'data: [DONE]\n\n';
  const tails = ['', '\n\n', done, `\n\n${done}`, forged, pick(), all, `\n\n${all}`];
  const tail = tails[random(tails.length)] ?? '';
  return {
    bytes: new Uint8Array([...cut, ...encoder.encode(tail)]),
    forged: [lastFrame, done].some((one) => tail.includes(one)),
  };
}

/** Bytes flipped, lost, repeated, put in and moved, anywhere. */
export function corrupted(stream: Recorded, random: Random): Uint8Array {
  let bytes = [...encoder.encode(stream.frames.join(''))];
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(bytes.length);
    const span = 1 + random(40);
    const kind = random(5);
    if (kind === 0) bytes[at] = random(256);
    if (kind === 1) bytes.splice(at, span);
    if (kind === 2) bytes.splice(at, 0, ...bytes.slice(at, at + span));
    if (kind === 3) bytes.splice(at, 0, ...Array.from({ length: span }, () => random(256)));
    if (kind === 4) bytes = [...bytes.slice(0, at), ...bytes.slice(at + span), ...bytes.slice(at, at + span)];
  }
  return Uint8Array.from(bytes);
}
