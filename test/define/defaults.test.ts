import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkArguments } from '../../src/activities/check-arguments.js';
import { defineTool } from '../../src/define/define-tool.js';
import type { JsonObject } from '../../src/shared/json.js';

async function planned(input: z.ZodType, written: JsonObject) {
  const tool = defineTool({ name: 'pay', description: 'Pays.', input, run: () => 'paid' });
  const checked = await checkArguments(tool, written);
  return checked.ok ? checked.input : checked.problems;
}

const count = z.int().default(3);
const line = z.object({ name: z.string(), count });
const node: z.ZodType<unknown, unknown> = z.object({
  name: z.string().default('node'),
  kids: z.lazy(() => z.array(node)).default([]),
});
const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('dot') }),
  z.object({ kind: z.literal('box'), side: z.number().default(1) }),
]);

// O25
describe('what a call is recorded with has the defaults of its schema', () => {
  test.each<[string, z.ZodType, JsonObject, JsonObject]>([
    ['of a field', z.object({ count }), {}, { count: 3 }],
    ['of a field that is there: its own', z.object({ count }), { count: 7 }, { count: 7 }],
    ['of a nested object', z.object({ a: line }), { a: { name: 'x' } }, { a: { name: 'x', count: 3 } }],
    [
      'of each item',
      z.object({ a: z.array(line) }),
      { a: [{ name: 'x' }] },
      { a: [{ name: 'x', count: 3 }] },
    ],
    [
      'of each value',
      z.object({ a: z.record(z.string(), line) }),
      { a: { k: { name: 'x' } } },
      { a: { k: { name: 'x', count: 3 } } },
    ],
    ['of the items of a tuple', z.object({ a: z.tuple([z.string(), count]) }), { a: ['x'] }, { a: ['x', 3] }],
    [
      'of the form that fits',
      z.object({ a: z.union([z.string(), line]) }),
      { a: { name: 'x' } },
      { a: { name: 'x', count: 3 } },
    ],
    [
      'of the form that is named',
      z.object({ shape }),
      { shape: { kind: 'box' } },
      { shape: { kind: 'box', side: 1 } },
    ],
    [
      'of both sides',
      z.object({ a: z.object({ b: count }).and(z.object({ c: count })) }),
      { a: { c: 1 } },
      { a: { c: 1, b: 3 } },
    ],
    [
      'at every depth of a recursion',
      z.object({ node }),
      { node: { kids: [{}] } },
      { node: { kids: [{ name: 'node', kids: [] }], name: 'node' } },
    ],
    ['of what may be left out or null', z.object({ a: count.nullable().optional() }), {}, { a: 3 }],
    [
      'of a whole object that is filled in before the check',
      z.object({ a: z.object({ b: count }).prefault({}) }),
      {},
      { a: { b: 3 } },
    ],
    [
      'of fields of any name',
      z.object({}).catchall(line),
      { k: { name: 'x' } },
      { k: { name: 'x', count: 3 } },
    ],
    [
      'before a transform',
      z.object({
        a: z
          .string()
          .default('x')
          .transform((a) => a.length),
      }),
      {},
      { a: 'x' },
    ],
    ['but not null, where that was written', z.object({ a: count.nullable() }), { a: null }, { a: null }],
    ['but none where there is none', z.object({ a: z.string().optional() }), {}, {}],
  ])('%s', async (_name, input, written, recorded) => {
    expect(await planned(input, written)).toEqual(recorded);
  });

  test.each<[string, z.ZodType, JsonObject]>([
    ['a transform', z.object({ a: z.string().transform((a) => a.length) }), { a: 'four' }],
    ['a trim', z.object({ a: z.string().trim() }), { a: ' x ' }],
    ['a coercion', z.object({ a: z.coerce.number() }), { a: '7' }],
    ['a pipe', z.object({ a: z.string().pipe(z.coerce.number()) }), { a: '7' }],
    ['a preprocessing', z.object({ a: z.preprocess((a) => Number(a), z.number()) }), { a: '7' }],
    ['a value that another stands in for', z.object({ a: z.string().catch('x') }), { a: 7 }],
    ['fields of a loose object', z.looseObject({}), { a: { b: 7 } }],
    [
      'strange names',
      z.object({ a: z.record(z.string(), line) }),
      JSON.parse('{"a":{"__proto__":{"name":"x","count":1}}}'),
    ],
  ])('and nothing of %s', async (_name, input, written) => {
    expect(JSON.stringify(await planned(input, written))).toBe(JSON.stringify(written));
  });

  test.each<[string, z.ZodType]>([
    [
      'what a transform makes',
      z
        .string()
        .transform((a) => `${a}!`)
        .default('x'),
    ],
    [
      'what JSON can not say',
      z.iso
        .datetime()
        .transform((a) => new Date(a))
        .default(() => new Date()),
    ],
  ])('a default that is %s is made when the tool runs', async (_name, type) => {
    expect(await planned(z.object({ a: type }), {})).toEqual({});
  });

  test('one that is made anew each time is made once', async () => {
    let made = 0;
    const next = () => {
      made += 1;
      return `id${made}`;
    };
    const input = z.object({ id: z.string().default(next) });
    const recorded = (await planned(input, {})) as JsonObject;
    expect(recorded['id']).toMatch(/^id\d+$/);
    expect(await planned(input, recorded)).toEqual(recorded);
  });
});

// FA-024
describe('what is wrong with arguments is told by its place and with what was expected', () => {
  test.each<[string, z.ZodType, JsonObject, string[]]>([
    [
      'a wrong type',
      z.object({ a: z.array(line) }),
      { a: [{ name: 7 }] },
      ['a.0.name: Invalid input: expected string, received number'],
    ],
    [
      'what is missing',
      z.object({ a: line }),
      { a: {} },
      ['a.name: Invalid input: expected string, and it is missing'],
    ],
    [
      'an unknown field',
      z.object({ a: line }),
      { a: { name: 'x', size: 1 } },
      ['a.size: unknown argument; it takes: name, count'],
    ],
    [
      'an unknown field of a strict object',
      z.object({ a: z.strictObject({}) }),
      { a: { b: 1 } },
      ['a.b: there is no such field'],
    ],
    [
      'an unknown field beside both sides',
      z.object({ a: z.string() }).and(z.object({ b: z.string() })),
      { a: '', b: '', c: 1 },
      ['c: unknown argument; it takes: a, b'],
    ],
    [
      'an unknown field of the form that fits',
      z.object({ shape }),
      { shape: { kind: 'dot', side: 1 } },
      ['shape.side: unknown argument; it takes: kind'],
    ],
    [
      'a form that there is not',
      z.object({ shape }),
      { shape: { kind: 'disc' } },
      ["shape.kind: Invalid discriminator value. Expected 'dot' | 'box'"],
    ],
    [
      'one of several values',
      z.object({ a: z.enum(['x', 'y']) }),
      { a: 'z' },
      ['a: Invalid option: expected one of "x"|"y"'],
    ],
    [
      'several forms',
      z.object({ a: z.union([z.string(), line]) }),
      { a: { name: 7 } },
      [
        'a: it fits none of its forms: (Invalid input: expected string, received object) or (name: Invalid input: expected string, received number)',
      ],
    ],
    [
      'all at once',
      z.object({ a: z.string(), b: z.string() }),
      { a: 1, b: 2, c: 3 },
      [
        'c: unknown argument; it takes: a, b',
        'a: Invalid input: expected string, received number',
        'b: Invalid input: expected string, received number',
      ],
    ],
  ])('%s', async (_name, input, written, problems) => {
    expect(await planned(input, written)).toEqual(problems);
  });
});
