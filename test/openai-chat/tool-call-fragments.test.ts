import { describe, expect, it } from 'vitest';
import { rawChunks } from '../../src/testing/index.js';
import { callDelta, callServed, delta, failureOf } from './call-served.js';

type Fragment = { index?: number | null; id?: string | null; name?: string; args?: unknown };

const fragment = ({ index, id, name, args }: Fragment) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});

/** The calls that come of fragments, one a chunk, each as `id name arguments`. */
async function callsFrom(...fragments: Fragment[]): Promise<string[]> {
  const chunks = fragments.map((one) => callDelta(fragment(one)));
  const { response } = await callServed([rawChunks([...chunks, delta({}, 'tool_calls'), '[DONE]'])]);
  return response.content.map((part) =>
    part.type === 'tool_call' ? `${part.id} ${part.name} ${part.arguments}` : part.type,
  );
}

// O07, SM-061: ours drops none, takes what lacks an index, and never joins two calls
describe('fragments of tool calls', () => {
  const both = ['a time {"z":1}', 'b weather {"c":2}'];

  it('are put together by index', async () => {
    const calls = await callsFrom(
      { index: 0, id: 'a', name: 'time', args: '' },
      { index: 1, id: 'b', name: 'weather', args: '' },
      { index: 1, args: '{"c":' },
      { index: 0, args: '{"z"' },
      { index: 0, args: ':1}' },
      { index: 1, args: '2}' },
    );
    expect(calls).toEqual(both);
  });

  it.each([
    ['one index', 0, 0],
    ['no index', undefined, undefined],
    ['a null index', null, null],
    ['indexes with a gap', 0, 2],
  ])('give two calls from two ids at %s', async (_name, first, second) => {
    const at = (index: number | null | undefined) => (index === undefined ? {} : { index });
    const whole = await callsFrom(
      { ...at(first), id: 'a', name: 'time', args: '{"z":1}' },
      { ...at(second), id: 'b', name: 'weather', args: '{"c":2}' },
    );
    const inPieces = await callsFrom(
      { ...at(first), id: 'a', name: 'time' },
      { ...at(first), args: '{"z":' },
      { ...at(first), args: '1}' },
      { ...at(second), id: 'b', name: 'weather' },
      { ...at(second), args: '{"c":' },
      { ...at(second), args: '2}' },
    );
    expect([whole, inPieces]).toEqual([both, both]);
  });

  it.each([
    ['index', { index: 0 }],
    ['id', { id: 'a' }],
    ['index and id', { index: 0, id: 'a' }],
    ['nothing else', {}],
  ])('take a name that comes again with each, beside %s', async (_name, key) => {
    const calls = await callsFrom(
      { index: 0, id: 'a', name: 'time', args: '' },
      { ...key, name: 'time', args: '{"z"' },
      { ...key, name: 'time', args: ':1}' },
      { ...key, name: 'time', args: '' },
    );
    expect(calls).toEqual(['a time {"z":1}']);
  });

  it('give two calls where both have one id, or none', async () => {
    const first = { name: 'time', args: '{"z":1}' };
    const second = { name: 'time', args: '{"c":2}' };
    expect(await callsFrom({ ...first, id: 'z' }, { ...second, id: 'z' })).toEqual([
      'z time {"z":1}',
      'z time {"c":2}',
    ]);
    expect(await callsFrom({ ...first, index: 0, id: 'z' }, { ...second, index: 0, id: 'z' })).toHaveLength(
      2,
    );
    expect(await callsFrom({ ...first, index: 0, id: '' }, { ...second, index: 0, id: '' })).toHaveLength(2);
    expect(await callsFrom(first, second)).toEqual([' time {"z":1}', ' time {"c":2}']);
    expect(await callsFrom({ ...first, index: 0, id: null }, { ...second, index: 1, id: null })).toHaveLength(
      2,
    );
  });

  it('take arguments before the name', async () => {
    const calls = await callsFrom(
      { index: 0, args: '{"z"' },
      { index: 0, id: 'a', name: 'time', args: ':1}' },
    );
    expect(calls).toEqual(['a time {"z":1}']);
  });

  it('take arguments that are missing, null, empty or an object', async () => {
    expect(await callsFrom({ index: 0, id: 'a', name: 'ping' })).toEqual(['a ping ']);
    expect(await callsFrom({ index: 0, id: 'a', name: 'ping', args: null })).toEqual(['a ping ']);
    expect(await callsFrom({ index: 0, id: 'a', name: 'ping', args: '' })).toEqual(['a ping ']);
    expect(await callsFrom({ index: 0, id: 'a', name: 'time', args: { z: 1 } })).toEqual(['a time {"z":1}']);
  });

  it('follow a call that began with empty arguments', async () => {
    const call = { index: 0, id: 'a', name: 'write', args: '{}' };
    const pieces = [
      { index: 0, args: '{"path":' },
      { index: 0, args: '"x"}' },
    ];
    expect(await callsFrom(call, ...pieces)).toEqual(['a write {"path":"x"}']);
    expect(await callsFrom(call, { index: 1, id: 'b', name: 'ping', args: '{}' })).toEqual([
      'a write {}',
      'b ping {}',
    ]);
  });

  it('become a call of their own, without a name, where nothing says whose they are', async () => {
    const newIndex = await callsFrom(
      { index: 0, id: 'a', name: 'time', args: '{"z":1}' },
      { index: 1, args: '{"c":' },
      { index: 1, args: '2}' },
    );
    expect(newIndex).toEqual(['a time {"z":1}', '  {"c":2}']);
    const afterTheEnd = await callsFrom(
      { index: 0, id: 'a', name: 'time', args: '{"z":1}' },
      { index: 0, args: '{"c":2}' },
    );
    expect(afterTheEnd).toEqual(['a time {"z":1}', '  {"c":2}']);
    const twoOpen = await callsFrom(
      { id: 'a', name: 'time', args: '{"z":' },
      { id: 'b', name: 'weather', args: '{"c":' },
      { args: '2}' },
    );
    expect(twoOpen).toEqual(['a time {"z":', 'b weather {"c":', '  2}']);
  });

  it('are not fooled by braces and quotes inside of strings', async () => {
    const written = JSON.stringify({ code: 'if (a) { b("}") } \\' });
    const calls = await callsFrom(
      { index: 0, id: 'a', name: 'write', args: '' },
      ...[...written].map((args) => ({ index: 0, args })),
    );
    expect(calls).toEqual([`a write ${written}`]);
  });
});

describe('the stop reason', () => {
  const call = callDelta(fragment({ index: 0, id: 'a', name: 'ping', args: '{}' }));
  const hello = delta({ content: 'hello' });

  it.each([
    ['tool_calls', 'tool_use', 'end_turn'],
    ['stop', 'tool_use', 'end_turn'],
    ['other', 'tool_use', 'end_turn'],
    ['never heard of', 'tool_use', 'end_turn'],
    ['length', 'max_tokens', 'max_tokens'],
    ['MAX_TOKENS', 'max_tokens', 'max_tokens'],
    ['model_length', 'max_tokens', 'max_tokens'],
    ['content_filter', 'refusal', 'refusal'],
    ['SAFETY', 'refusal', 'refusal'],
    ['sensitive', 'refusal', 'refusal'],
  ])('for "%s" is %s with calls, and %s without', async (finish, withCalls, without) => {
    const called = await callServed([rawChunks([call, delta({}, finish)])]);
    const silent = await callServed([rawChunks([hello, delta({}, finish)])], {}, 2);
    expect([called.response.stopReason, silent.response.stopReason]).toEqual([withCalls, without]);
  });

  it.each([
    ['error', 'Model.Unavailable'],
    ['network_error', 'Model.Unavailable'],
    ['insufficient_system_resource', 'Model.Overloaded'],
    ['abort', 'Model.StreamCut'],
  ])('"%s" is a fault, whatever came before it', async (finish, type) => {
    const failure = await failureOf(callServed([rawChunks([call, delta({}, finish)])]));
    expect(failure).toMatchObject({ type, retryable: true });
  });

  // O04, FA-012, MC-007
  it.each([
    ['nothing', []],
    ['white space', [delta({ content: ' \n' })]],
    ['reasoning alone', [delta({ reasoning_content: 'hm' })]],
    ['an empty list of calls', [delta({ tool_calls: [] })]],
  ])('of a reply with %s makes it an empty one, asked for once more', async (_name, chunks) => {
    for (const finish of ['stop', 'tool_calls', 'other']) {
      const failure = await failureOf(callServed([rawChunks([...chunks, delta({}, finish)])]));
      expect(failure).toMatchObject({ type: 'Model.EmptyReply', retryable: true, maxAttempts: 2 });
    }
  });

  it('of a text that announces calls is asked for once more, and then the text has to do', async () => {
    const said = () => [rawChunks([delta({ content: 'I look.' }), delta({}, 'tool_calls')])];
    const failure = await failureOf(callServed(said()));
    expect(failure).toMatchObject({ type: 'Model.EmptyReply', retryable: true, maxAttempts: 2 });
    const { response } = await callServed(said(), {}, 2);
    expect(response).toMatchObject({ content: [{ type: 'text', text: 'I look.' }], stopReason: 'end_turn' });
  });

  it.each(['length', 'content_filter'])('"%s" is kept for a reply with nothing in it', async (finish) => {
    const { response } = await callServed([rawChunks([delta({}, finish)])]);
    expect(response.content).toEqual([]);
  });

  it('counts for a call of the form before there were several', async () => {
    const old = [
      delta({ function_call: { name: 'ping', arguments: '{"a"' } }),
      delta({ function_call: { arguments: ':1}' } }),
    ];
    const { response } = await callServed([rawChunks([...old, delta({}, 'function_call')])]);
    expect(response).toMatchObject({
      content: [{ type: 'tool_call', name: 'ping', arguments: '{"a":1}' }],
      stopReason: 'tool_use',
    });
  });
});
