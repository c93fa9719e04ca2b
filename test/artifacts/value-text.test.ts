import { describe, expect, test } from 'vitest';
import { valueText } from '../../src/activities/value-text.js';

const textOf = (value: unknown) => valueText(value).bytes.toString();

class Order {
  readonly id = 7;
  #secret = 1;
  get total() {
    return this.#secret;
  }
}

function cyclic(): object {
  const value: { self?: unknown; list?: unknown } = {};
  value.self = value;
  value.list = [{ back: value }];
  return value;
}

function nested(depth: number, list: boolean): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < depth; level++) value = list ? [value] : { deeper: value };
  return value;
}

const throwing = () => {
  throw new Error('not for you');
};
const hostile = new Proxy({}, { ownKeys: throwing, get: throwing, has: throwing, getPrototypeOf: throwing });
const revoked = Proxy.revocable([], {});
revoked.revoke();
const withHoles: number[] = [1];
withHoles[3] = 2;
const again = { a: 1 };

describe('a value as text', () => {
  test.each<[string, unknown, string]>([
    ['a text', 'as it is\n', 'as it is\n'],
    ['half a character', 'a\ud83d', 'a\ufffd'],
    ['JSON', { a: [1, 'x', null, true], b: {} }, '{"a":[1,"x",null,true],"b":{}}'],
    ['what JSON leaves out', { a: undefined, b: [undefined] }, '{"b":[null]}'],
    ['the same twice, which is no cycle', [again, again], '[{"a":1},{"a":1}]'],
    ['cycles', cyclic(), '{"self":"[a cycle]","list":[{"back":"[a cycle]"}]}'],
    ['a BigInt', 10n, '10'],
    ['a BigInt in an object', { n: -10n }, '{"n":"-10"}'],
    ['a huge BigInt', [1n << 1_000_000n], '["[an integer of 250001 hexadecimal digits]"]'],
    ['numbers that JSON has not', [Number.NaN, Infinity, -0], '["NaN","Infinity",0]'],
    [
      'a Map',
      new Map<unknown, unknown>([[{ k: 1 }, new Set(['v'])]]),
      '{"[Map]":[[{"k":1},{"[Set]":["v"]}]]}',
    ],
    ['a Buffer', Buffer.from('abc'), '[Buffer of 3 bytes]'],
    [
      'typed arrays',
      [new Float64Array(2), new DataView(new ArrayBuffer(5))],
      '["[Float64Array of 16 bytes]","[DataView of 5 bytes]"]',
    ],
    ['an ArrayBuffer', { raw: new ArrayBuffer(9) }, '{"raw":"[ArrayBuffer of 9 bytes]"}'],
    ['a SharedArrayBuffer', { raw: new SharedArrayBuffer(9) }, '{"raw":"[SharedArrayBuffer of 9 bytes]"}'],
    ['a function', () => 1, '[function]'],
    ['a symbol', Symbol('s'), '[symbol]'],
    ['functions and symbols inside', { f: throwing, s: Symbol('s') }, '{"f":"[function]","s":"[symbol]"}'],
    ['a Date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['a Date that is none', [new Date(Number.NaN)], '[null]'],
    [
      'an error',
      new TypeError('bad', { cause: 'why' }),
      '{"name":"TypeError","message":"bad","cause":"why"}',
    ],
    [
      'an error with a code',
      [Object.assign(new Error('no'), { code: 'ENOENT' })],
      '[{"name":"Error","message":"no","code":"ENOENT"}]',
    ],
    ['a RegExp', [/a"b/g], '["/a\\"b/g"]'],
    ['an instance of a class', new Order(), '{"id":7}'],
    ['instances without fields', [Promise.resolve(), new WeakMap()], '["[Promise]","[WeakMap]"]'],
    ['boxed values', [Object('a'), Object(1), Object(2n)], '["a",1,"2"]'],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    ['toJSON', { toJSON: () => ({ b: 1n }) }, '{"b":"1"}'],
    ['a throwing toJSON inside', [{ toJSON: throwing }], '["[cannot be read: not for you]"]'],
    [
      'a throwing getter',
      {
        get a() {
          return throwing();
        },
        b: 1,
      },
      '{"a":"[cannot be read: not for you]","b":1}',
    ],
    ['a hostile proxy inside', { p: hostile }, '{"p":"[cannot be read: not for you]"}'],
    [
      'a revoked proxy inside',
      [revoked.proxy],
      /^\["\[cannot be read: .*revoked.*\]"\]$/ as unknown as string,
    ],
    ['a list with holes', withHoles, '[1,"[2 empty]",2]'],
    ['a huge list of nothing', new Array(4_000_000_000), '["[4000000000 empty]"]'],
    ['keys with halves of characters and NUL', { 'k\ud800': '\0\ud800' }, '{"k\\ud800":"\\u0000\\ud800"}'],
  ])('%s', (_name, value, expected: string | RegExp) => {
    if (expected instanceof RegExp) expect(textOf(value)).toMatch(expected);
    else expect(textOf(value)).toBe(expected);
  });

  test.each([true, false])('that is nested 100,000 levels deep is told down to the 500th', (list) => {
    const text = textOf(nested(100_000, list));
    expect(text).toContain('"[nested more than 500 levels deep]"');
    expect(() => JSON.parse(text)).not.toThrow();
  });

  test('of which nothing can be read throws', () => {
    expect(() => valueText(hostile)).toThrow('not for you');
    expect(() => valueText({ toJSON: throwing })).toThrow('not for you');
  });

  test.each<[string, () => unknown]>([
    ['a text', () => 'ä'.repeat(2_000_000)],
    ['a list', () => Array.from({ length: 2_000_000 }, (_, at) => at)],
    ['one long text inside', () => ({ text: '"'.repeat(3_000_000) })],
    [
      'a tree that unfolds',
      () => {
        let tree: unknown = 'x';
        for (let at = 0; at < 60; at++) tree = [tree, tree];
        return tree;
      },
    ],
  ])('is bounded in bytes: %s', (_name, make) => {
    const { bytes, problem } = valueText(make(), 1_000_000);
    expect(bytes.length).toBe(1_000_000);
    expect(problem).toBe('it takes more than 1000000 bytes');
  });

  test('is bounded in time', () => {
    const slow: object = new Proxy([], {
      get: (_, key) => (key === 'length' ? 2 ** 40 : slow),
      has: () => true,
    });
    const startedAt = performance.now();
    expect(valueText([slow], 1e9, 200).problem).toBe('writing it took more than 200 ms');
    expect(performance.now() - startedAt).toBeLessThan(2000);
  });

  test('is quick: 50,000 rows come whole', () => {
    const rows = Array.from({ length: 50_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'] }));
    expect(textOf(rows) === JSON.stringify(rows)).toBe(true);
  });
});
