import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { refuseStrictSchema } from '../../src/testing/refuse-schema.js';
import { toolOf } from './with-schema.js';

type Tree = { value: string; next?: Tree | null | undefined };
const tree: z.ZodType<Tree> = z.object({ value: z.string(), next: z.lazy(() => tree).nullable() });
const recursive = z.object({
  name: z.string(),
  get kids() {
    return z.array(recursive);
  },
});
const shapes = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('dot') }),
  z.object({ kind: z.literal('box'), side: z.number().min(1) }),
]);
const colour = z.enum(['red', 'green']);

// O25
describe('a schema that strict mode takes is sent as a strict one', () => {
  test.each<[string, z.ZodType]>([
    [
      'texts, numbers, truth values',
      z.object({ a: z.string(), b: z.number(), c: z.int().max(9), d: z.boolean() }),
    ],
    ['no arguments', z.object({})],
    ['what may be null', z.object({ a: z.string().nullable() })],
    ['enums, constants and null', z.object({ a: colour, b: z.literal('x'), c: z.null() })],
    [
      'lists and nested objects',
      z.object({ a: z.array(z.object({ b: z.array(z.string()).min(1).max(3) })) }),
    ],
    ['strict objects', z.strictObject({ a: z.strictObject({ b: z.string() }) })],
    ['a union', z.object({ a: z.union([z.string(), z.object({ b: z.number() })]) })],
    ['a discriminated union', z.object({ shape: shapes })],
    ['objects put together', z.object({ a: z.object({ b: z.string() }).and(z.object({ c: z.string() })) })],
    ['recursion by z.lazy', z.object({ tree })],
    ['recursion by a getter', recursive],
    ['schemas that are used twice', z.object({ a: shapes, b: shapes, c: colour.meta({ id: 'Colour' }) })],
    ['descriptions', z.object({ a: z.string().describe('like W1') })],
    [
      'formats and patterns',
      z.object({ a: z.iso.datetime(), b: z.email(), c: z.uuid(), d: z.string().regex(/^a+$/) }),
    ],
    ['transforms', z.object({ a: z.string().transform(Number), b: z.preprocess(String, z.string()) })],
    ['pipes and coercions', z.object({ a: z.string().pipe(z.coerce.number()), b: z.coerce.number() })],
    ['refinements', z.object({ a: z.string().refine((a) => a !== '') }).refine(() => true)],
    ['what is made read-only', z.object({ a: z.array(z.string()).readonly() })],
  ])('%s', (_name, input) => {
    const tool = toolOf(input);
    expect(tool.notStrictBecause).toBeUndefined();
    expect(tool.strict).toBe(true);
    expect(refuseStrictSchema(tool.schema)).toBeUndefined();
  });
});

// O25: never a schema that was bent to fit
describe('a schema that strict mode does not take is sent as it is, and the tool says why', () => {
  const tenDeep = Array.from({ length: 10 }).reduce<z.ZodType>((inner) => z.object({ a: inner }), z.string());
  const many = Array.from({ length: 1001 }, (_, index) => `v${index}`);
  test.each<[string, z.ZodType, string]>([
    ['an optional field', z.object({ a: z.object({ b: z.string().optional() }) }), 'a.b may be left out'],
    ['what may be null or missing', z.object({ a: z.string().nullish() }), 'a may be left out'],
    ['a default', z.object({ a: z.array(z.object({ b: z.int().default(3) })) }), 'a[].b may be left out'],
    [
      'a record',
      z.object({ a: z.record(z.string(), z.number()) }),
      'a has "propertyNames", which strict mode does not know',
    ],
    ['a loose object', z.object({ a: z.looseObject({ b: z.string() }) }), 'a takes fields of any name'],
    ['fields of any name', z.object({ a: z.object({}).catchall(z.number()) }), 'a takes fields of any name'],
    ['anything', z.object({ a: z.any() }), 'a takes values of any type'],
    ['unknown items', z.object({ a: z.array(z.unknown()) }), 'a[] takes values of any type'],
    ['nothing', z.object({ a: z.never().nullable() }), 'a has "not", which strict mode does not know'],
    [
      'a tuple',
      z.object({ a: z.tuple([z.string()]) }),
      'a has "prefixItems", which strict mode does not know',
    ],
    ['constants of two types', z.object({ a: z.literal(['x', 1]) }), 'a takes values of any type'],
    ['a length', z.object({ a: z.string().min(1) }), 'a has "minLength", which strict mode does not know'],
    [
      'a format of another kind',
      z.object({ a: z.url() }),
      'a has the format "uri", which strict mode does not know',
    ],
    [
      'a lookahead',
      z.object({ a: z.string().regex(/^(?!b)/) }),
      'a has a pattern with a lookaround or a back reference',
    ],
    [
      'exclusive forms',
      z.object({ a: z.xor([z.string(), z.number()]) }),
      'a has "oneOf", which strict mode does not know',
    ],
    [
      'an object and a record',
      z.object({ a: z.object({}).and(z.record(z.string(), z.string())) }),
      'a has "allOf", which strict mode does not know',
    ],
    [
      'a record as the whole',
      z.record(z.string(), z.string()),
      'it has "propertyNames", which strict mode does not know',
    ],
    ['eleven levels', z.object({ a: tenDeep }), 'a.a.a.a.a.a.a.a.a.a is nested more than 10 levels deep'],
    ['too many values', z.object({ a: z.enum(many) }), 'it lists 1001 values; strict mode takes 1000'],
  ])('%s', (_name, input, because) => {
    const tool = toolOf(input);
    expect(tool.strict).toBe(false);
    expect(tool.notStrictBecause).toBe(because);
    expect(() => toolOf(input, true)).toThrow(
      `Tool pay: its input is none for strict mode, because ${because}.`,
    );
  });

  test('a tool that does not want it is not strict either', () => {
    expect(toolOf(z.object({}), false)).toMatchObject({ strict: false });
  });
});

describe('a schema says what is checked', () => {
  const schemaOf = (type: z.ZodType) => toolOf(z.object({ a: type })).schema;

  // O25: records keep their value type
  test.each<[string, z.ZodType, object]>([
    ['an optional field keeps its type', z.string().optional(), { type: 'string' }],
    [
      'a default is told',
      z.int().max(5).min(0).default(3),
      { type: 'integer', default: 3, minimum: 0, maximum: 5 },
    ],
    [
      'a record keeps the type of its values',
      z.record(z.string(), z.number()),
      { additionalProperties: { type: 'number' } },
    ],
    ['a transform shows what goes in', z.string().transform(Number), { type: 'string' }],
    [
      'a default of what a transform makes is not told',
      z.string().transform(Number).default(7),
      { type: 'string' },
    ],
    ['a nested object takes no other fields', z.object({ b: z.string() }), { additionalProperties: false }],
    ['a loose object does', z.looseObject({ b: z.string() }), { additionalProperties: {} }],
  ])('%s', (_name, type, expected) => {
    const properties = schemaOf(type)['properties'] as { a: object };
    expect(properties.a).toMatchObject(expected);
    if (!('default' in expected)) expect(properties.a).not.toHaveProperty('default');
  });

  test('an object and a record together do not exclude each other', () => {
    const both = z.object({ b: z.string() }).and(z.record(z.string(), z.string()));
    expect(JSON.stringify(schemaOf(both))).not.toContain('"additionalProperties":false}},"required":["b"]');
    const { a } = schemaOf(both)['properties'] as { a: { allOf: object[] } };
    expect(a.allOf[0]).not.toHaveProperty('additionalProperties');
  });

  test.each<[string, () => z.ZodType]>([
    ['by chance', () => z.string().default(() => String(Math.random()))],
    ['by the clock', () => z.number().default(() => Date.now())],
    [
      'by the clock, as a text without figures',
      () =>
        z
          .string()
          .default(() => `${Date.now()}`.replace(/\d/g, (figure) => 'abcdefghij'[Number(figure)] ?? '')),
    ],
    ['by the clock, among others', () => z.array(z.number()).default(() => [1, Date.now() % 100_000])],
    [
      'and described, and optional',
      () =>
        z
          .string()
          .default(() => String(Math.random()))
          .describe('an id')
          .optional(),
    ],
    ['and filled in before the check', () => z.string().prefault(() => String(Math.random()))],
  ])(
    'a default that is made %s is not told, so that the schema is the same in each process',
    (_name, made) => {
      expect(JSON.stringify(schemaOf(made()))).not.toContain('"default"');
      expect(toolOf(z.object({ a: made() })).schemaHash).toBe(toolOf(z.object({ a: made() })).schemaHash);
    },
  );
});
