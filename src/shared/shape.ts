/**
 * Checks of what comes from outside, as plain functions. A library would be better read, but a workflow's bundle is
 * evaluated anew for each workflow, and zod in it costs each turn about 7 ms (docs/decisions).
 *
 * A check returns one line for each problem, `path: what was expected`, and none for a good value.
 */
export type Check = (value: unknown, path: string) => string[];

const at = (path: string, problem: string): string => `${path === '' ? '(it)' : path}: ${problem}`;
const below = (path: string, key: string | number): string =>
  typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;

/** A check of one value by a predicate. */
export function is(expected: string, holds: (value: unknown) => boolean): Check {
  return (value, path) => (holds(value) ? [] : [at(path, `expected ${expected}, got ${named(value)}`)]);
}

export const isText = is('a text', (value) => typeof value === 'string');
export const isNonEmptyText = is(
  'a text that is not empty',
  (value) => typeof value === 'string' && value !== '',
);
export const isNumber = is('a number', (value) => typeof value === 'number');
export const isBoolean = is('true or false', (value) => typeof value === 'boolean');
export const isObject = is('an object', isRecord);

export function isWholeNumber(from: number, to: number): Check {
  const holds = (value: unknown) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to;
  return is(`a whole number from ${from} to ${to}`, holds);
}

export function isOneOf(...values: readonly unknown[]): Check {
  return is(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.includes(value));
}

export function isListOf(item: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return [at(path, `expected a list, got ${named(value)}`)];
    return value.flatMap((each, index) => item(each, below(path, index)));
  };
}

/** An object with these fields and no others. */
export function isShape(required: Record<string, Check>, optional: Record<string, Check> = {}): Check {
  return (value, path) => {
    if (!isRecord(value)) return [at(path, `expected an object, got ${named(value)}`)];
    const unknown = Object.keys(value).filter((key) => !(key in required) && !(key in optional));
    return [
      ...unknown.map((key) => at(below(path, key), 'is not known')),
      ...Object.entries(required).flatMap(([key, check]) =>
        key in value ? check(value[key], below(path, key)) : [at(below(path, key), 'is missing')],
      ),
      ...Object.entries(optional).flatMap(([key, check]) =>
        value[key] === undefined ? [] : check(value[key], below(path, key)),
      ),
    ];
  };
}

/** An object whose field `tag` says which of the shapes it has. */
export function isVariant(tag: string, variants: Record<string, Check>): Check {
  return (value, path) => {
    if (!isRecord(value)) return [at(path, `expected an object, got ${named(value)}`)];
    const check = variants[String(value[tag])];
    const known = Object.keys(variants).join(' or ');
    return check ? check(value, path) : [at(below(path, tag), `expected ${known}, got ${named(value[tag])}`)];
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function named(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : typeof value;
}
