import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { outputOf, toolOf } from './with-schema.js';

describe('what JSON can not say is refused when it is defined, by its place', () => {
  test.each<[string, z.ZodType, string]>([
    ['a date', z.date(), 'Date cannot be represented'],
    ['a date made of a text', z.coerce.date(), 'Date cannot be represented'],
    ['a bigint', z.bigint(), 'BigInt cannot be represented'],
    ['undefined', z.undefined(), 'Undefined cannot be represented'],
    ['a set', z.set(z.string()), 'Set cannot be represented'],
    ['an instance', z.instanceof(URL), 'Custom types cannot be represented'],
  ])('%s', (_name, type, because) => {
    const nested = z.object({ orders: z.array(z.object({ when: type })) });
    expect(() => toolOf(nested)).toThrow(/^Tool pay: its input has no JSON schema\. orders\[\]\.when: /);
    expect(() => toolOf(nested)).toThrow(because);
    expect(() => outputOf(nested)).toThrow(
      /^Agent helper: its output has no JSON schema\. orders\[\]\.when: /,
    );
  });

  test('a transform is refused in an output alone', () => {
    const nested = z.object({ total: z.object({ cents: z.string().transform(Number) }) });
    expect(() => toolOf(nested)).not.toThrow();
    expect(() => outputOf(nested)).toThrow(/^Agent helper: its output has no JSON schema\. total\.cents: /);
  });

  // No JSON would fit it.
  test('a file, and a field that must be there and never can be', () => {
    const nested = (type: z.ZodType) => toolOf(z.object({ orders: z.array(z.object({ when: type })) }));
    expect(() => nested(z.file())).toThrow(
      'Tool pay: its input has no JSON schema. orders[].when: No JSON is a file.',
    );
    expect(() => nested(z.file().optional())).toThrow('orders[].when: No JSON is a file.');
    expect(() => nested(z.never())).toThrow(
      'Tool pay: its input has no JSON schema. orders[].when: It must be there, and nothing fits z.never().',
    );
    expect(() => outputOf(z.never())).toThrow('Nothing fits z.never().');
    expect(() => nested(z.never().optional())).not.toThrow();
    expect(() => nested(z.union([z.string(), z.never()]))).not.toThrow();
  });

  test('what to write in its place is told', () => {
    expect(() => toolOf(z.object({ when: z.date() }))).toThrow('Use z.iso.datetime(), which is a text.');
  });

  test.each([
    ['a text', z.string()],
    ['a list', z.array(z.string())],
    ['a union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  ])('%s is no input', (_name, input) => {
    expect(() => toolOf(input)).toThrow('Tool pay: its input must be a zod object');
  });

  test('an output may be anything that JSON can say', () => {
    expect(outputOf(z.array(z.string()))?.strict).toBe(false);
    expect(outputOf(z.object({ resolved: z.boolean() }))?.strict).toBe(true);
    expect(outputOf(z.object({ note: z.string().optional() }))?.strict).toBe(false);
  });
});
