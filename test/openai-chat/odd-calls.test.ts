import { describe, expect, it } from 'vitest';
import { toolCallFragments } from '../../src/activities/openai-chat/tool-call-fragments.js';
import { parseJson } from '../../src/shared/json.js';
import type { ModelPart } from '../../src/shared/model-port.js';
import { rawChunks } from '../../src/testing/index.js';
import { callDelta, callServed, delta } from './call-served.js';

type Piece = { index?: number; id?: string; name?: string; args?: string };

const call = ({ index, id, name, args }: Piece) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  type: 'function',
  function: { ...(name !== undefined && { name }), arguments: args ?? '' },
});

/** What of a reply the plan would run, as `name arguments`: calls with a name and with JSON, or with nothing. */
function runnable(content: readonly ModelPart[]): string[] {
  return content.flatMap((part) => {
    if (part.type !== 'tool_call' || part.name === '') return [];
    const runs = part.arguments === '' || parseJson(part.arguments).ok;
    return runs ? [`${part.name} ${part.arguments}`] : [];
  });
}

async function runOf(...pieces: Piece[]): Promise<string[]> {
  const chunks = pieces.map((piece) => callDelta(call(piece)));
  const { response } = await callServed([rawChunks([...chunks, delta({}, 'tool_calls'), '[DONE]'])]);
  return runnable(response.content);
}

const whole = { index: 0, id: 'a', name: 'pay', args: '{"sum":1}' };

describe('a call whose arguments come in an odd way', () => {
  it.each<[string, Piece[]]>([
    [
      'with a new id for each piece',
      [
        { index: 0, id: 'a1', name: 'pay' },
        { index: 0, id: 'a2', args: '{"sum":' },
        { index: 0, id: 'a3', args: '1}' },
      ],
    ],
    [
      'after `{}`, under its id',
      [
        { id: 'a', name: 'pay', args: '{}' },
        { id: 'a', args: '{"sum":1}' },
      ],
    ],
    ['after `{}`, with index, id and name again', [{ ...whole, args: '{}' }, whole]],
    [
      'after `{}`, in pieces with everything again',
      [
        { ...whole, args: '{}' },
        { ...whole, args: '{"sum"' },
        { ...whole, args: ':1}' },
      ],
    ],
    ['after `null`', [{ ...whole, args: 'null' }, whole]],
    [
      'after a name in pieces',
      [
        { index: 0, id: 'a', name: 'p' },
        { index: 0, name: 'ay' },
        { index: 0, args: '{"sum":1}' },
      ],
    ],
    ['and the whole call once more', [whole, whole]],
    ['and the whole call once more, without an index', [whole, { id: 'a', name: 'pay', args: '{"sum":1}' }]],
  ])('%s runs once, with its own', async (_name, pieces) => {
    expect(await runOf(...pieces)).toEqual(['pay {"sum":1}']);
  });

  it.each<[string, Piece[]]>([
    [
      'new ids and no index',
      [
        { id: 'a1', name: 'pay' },
        { id: 'a2', args: '{"sum":' },
        { id: 'a3', args: '1}' },
      ],
    ],
    [
      'another index',
      [
        { index: 0, id: 'a', name: 'pay', args: '{}' },
        { index: 1, args: '{"sum":1}' },
      ],
    ],
    ['nothing that says whose they are', [{ id: 'a', name: 'pay', args: '{}' }, { args: '{"sum":1}' }]],
    [
      'the id of a call that is named later',
      [
        { index: 0, id: 'a', name: 'pay' },
        { index: 0, id: 'b', args: '{"sum":1}' },
        { index: 0, id: 'b', name: 'refund' },
      ],
    ],
  ])('does not run without them where they came under %s', async (_name, pieces) => {
    const ran = await runOf(...pieces);
    expect(ran.filter((one) => one.startsWith('pay'))).toEqual([]);
  });

  it('runs without any where no piece is left over', async () => {
    const ping = { index: 0, id: 'a', name: 'ping', args: '{}' };
    expect(await runOf(ping, { index: 1, id: 'b', name: 'time' })).toEqual(['ping {}', 'time ']);
  });

  it('is two calls where two indexes have one id', async () => {
    expect(await runOf(whole, { ...whole, index: 1 })).toHaveLength(2);
  });
});

describe('a last chunk with the whole message', () => {
  const message = (more: object) => ({
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: '', ...more } }],
  });
  const calls = [call({ id: 'a', name: 'pay', args: '{"sum":1}' }), call({ id: 'b', name: 'ping' })];
  const said = [delta({ content: 'I ' }), delta({ content: 'pay.' })];

  it.each([
    [
      'all that came in pieces',
      [...said, callDelta(call(whole)), callDelta(call({ index: 1, id: 'b', name: 'ping' }))],
    ],
    ['the end of the text and the calls', [said[0]]],
    ['half of a call', [...said, callDelta(call({ ...whole, args: '{"su' }))]],
    ['the arguments', [...said, callDelta(call({ ...whole, args: '' }))]],
    ['new ids', [...said, callDelta(call({ ...whole, id: 'x' }))]],
  ])('adds what is missing, and nothing twice: %s', async (_name, pieces) => {
    const last = message({ content: 'I pay.', tool_calls: calls, reasoning_content: 'hm' });
    const { response, streamed } = await callServed([rawChunks([...pieces, last, '[DONE]'])]);
    expect(streamed).toBe('I pay.');
    expect(response.content.slice(0, 2)).toMatchObject([{ text: 'hm' }, { text: 'I pay.' }]);
    expect(runnable(response.content)).toEqual(['pay {"sum":1}', 'ping ']);
  });

  it('is taken as it is where nothing came before it', async () => {
    const last = message({ content: 'I pay.', tool_calls: calls });
    const { response } = await callServed([rawChunks([delta({ role: 'assistant' }), last, '[DONE]'])]);
    expect(response.content[0]).toMatchObject({ text: 'I pay.' });
    expect(runnable(response.content)).toEqual(['pay {"sum":1}', 'ping ']);
  });

  it('may be in pieces itself', async () => {
    const pieces = ['I ', 'pay.'].map((content) => ({ choices: [{ message: { content } }] }));
    const { streamed } = await callServed([rawChunks([...pieces, delta({}, 'stop')])]);
    expect(streamed).toBe('I pay.');
  });
});

describe('a reply of several choices', () => {
  const said = (index: number, content: string, finish: string | null = null) => ({
    index,
    delta: { content },
    finish_reason: finish,
  });

  it('is the first of them, when they were asked for', async () => {
    const chunks = [
      { choices: [said(1, 'No')] },
      { choices: [said(0, 'Yes'), said(1, ', never')] },
      { choices: [said(1, '.', 'stop')] },
      { choices: [said(0, '.', 'stop')] },
    ];
    const { response } = await callServed([rawChunks([...chunks, '[DONE]'])], { body: { n: 2 } });
    expect(response.content).toEqual([{ type: 'text', text: 'Yes.' }]);
  });
});

describe('arguments in many pieces', () => {
  function millisecondsFor(pieces: number): number {
    const fragments = toolCallFragments('here');
    const from = performance.now();
    fragments.add(call({ index: 0, id: 'a', name: 'write', args: '{"text":"' }));
    for (let number = 0; number < pieces; number++) fragments.add(call({ index: 0, args: 'abcd' }));
    fragments.add(call({ index: 0, args: '"}' }));
    expect(fragments.areWhole()).toBe(true);
    return performance.now() - from;
  }

  // When it took the square of their number, 50,000 took ten seconds.
  it('take time by their number, not by its square', () => {
    const fastest = (pieces: number) => Math.min(...[1, 2, 3].map(() => millisecondsFor(pieces)));
    millisecondsFor(10_000);
    // The second that is given is for a machine that has other things to do.
    expect(fastest(80_000)).toBeLessThan(25 * fastest(10_000) + 1000);
  });
});
