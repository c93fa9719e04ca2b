import { describe, expect, it } from 'vitest';
import { outputSlots } from '../../src/activities/openai-responses/output-slots.js';
import { rawBytes } from '../../src/testing/index.js';
import { callResponses, done, ended, item, namedEvents } from './call-responses.js';

const written = '{"path":"a"}';
const call = item.call('read', written);
const { arguments: _written, ...bare } = call;
const empty = { ...call, arguments: '' };
const braces = { ...call, arguments: '{}' };

const added = {
  type: 'response.output_item.added',
  output_index: 0,
  item: item.call('read', '', 'in_progress'),
};
const piece = (delta: string, more: object = { output_index: 0 }) => ({
  type: 'response.function_call_arguments.delta',
  delta,
  ...more,
});
const all = { type: 'response.function_call_arguments.done', output_index: 0, arguments: written };

async function replyOf(...events: { type: string }[]) {
  return (await callResponses([rawBytes(namedEvents(...events))])).response;
}

describe.each([
  ['no arguments', bare],
  ['empty arguments', empty],
  ['`{}`', braces],
])('a call whose item has %s', (_name, without) => {
  const endings = [ended('completed', []), ended('completed', [without])];

  it.each([
    ['whole and in pieces', [added, piece('{"path":'), piece('"a"}'), all, done(0, without)]],
    ['in pieces', [added, piece('{"path":'), piece('"a"}'), done(0, without)]],
    ['whole', [added, all, done(0, without)]],
  ])('runs with those that were streamed %s', async (_how, events) => {
    for (const ending of endings) {
      const { content, stopReason } = await replyOf(...events, ending);
      expect(content).toEqual([{ type: 'tool_call', id: 'call_1', name: 'read', arguments: written }]);
      expect(stopReason).toBe('tool_use');
    }
  });

  it.each([
    ['half of them was streamed', [added, piece('{"path":'), done(0, without)]],
    ['they were streamed for nobody', [added, piece(written, { output_index: 7 }), done(0, without)]],
  ])('does not run where %s', async (_how, events) => {
    for (const ending of endings) expect((await replyOf(...events, ending)).stopReason).toBe('max_tokens');
  });

  it('runs where none were streamed', async () => {
    const none = [added, piece(''), done(0, without)];
    for (const ending of endings) expect((await replyOf(...none, ending)).stopReason).toBe('tool_use');
  });
});

describe('items of one reply', () => {
  it('keep their own arguments where the ending lists them at other places', async () => {
    const second = { ...bare, id: undefined, call_id: 'call_2', name: 'write' };
    const { content } = await replyOf(
      done(0, { type: 'reasoning', summary: [] }),
      piece('{"path":"a"}', { output_index: 1 }),
      done(1, { ...bare, id: undefined }),
      piece('{"path":"b"}', { output_index: 2 }),
      done(2, second),
      ended('completed', [{ ...bare, id: undefined }, second]),
    );
    expect(content).toMatchObject([
      { name: 'read', arguments: '{"path":"a"}' },
      { name: 'write', arguments: '{"path":"b"}' },
    ]);
  });

  function millisecondsFor(items: number): number {
    const slots = outputSlots(() => undefined);
    const from = performance.now();
    for (let at = 0; at < items; at++) {
      slots.add(added.type, { ...added, output_index: at });
      slots.add(all.type, { ...all, output_index: at });
      const one = { ...bare, id: `fc_${at}`, call_id: `call_${at}` };
      slots.add('response.output_item.done', { output_index: at, item: one });
    }
    expect(slots.items()).toHaveLength(items);
    return performance.now() - from;
  }

  // When each was looked for among all, 20,000 took sixteen seconds.
  it('take time by their number, not by its square', () => {
    const fastest = (items: number) => Math.min(...[1, 2, 3].map(() => millisecondsFor(items)));
    millisecondsFor(3_000);
    // The second that is given is for a machine that has other things to do.
    expect(fastest(24_000)).toBeLessThan(25 * fastest(3_000) + 1000);
  });
});
