import { types } from 'node:util';
import { errorText, wireLine } from '../shared/wire-text.js';

const LONGEST_BIGINT_DIGITS = 100_000;

/** What is to be written of a value. */
export type Readable =
  | { is: 'json'; text: string }
  | { is: 'note'; text: string }
  | { is: 'text'; text: string }
  | { is: 'list'; list: readonly unknown[]; length: number }
  | { is: 'pairs'; tag: string; entries: Iterable<unknown> }
  | { is: 'fields'; from: object; names: readonly string[] }
  | { is: 'unreadable'; why: string };

const note = (text: string): Readable => ({ is: 'note', text: `[${text}]` });

/** Never throws: reading a proxy or a getter may run anybody's code. */
export function readable(value: unknown, key: string): Readable {
  try {
    return classify(value, key);
  } catch (error) {
    return { is: 'unreadable', why: errorText(error) };
  }
}

function classify(value: unknown, key: string): Readable {
  switch (typeof value) {
    case 'string':
      return { is: 'text', text: value };
    case 'number':
      return Number.isFinite(value)
        ? { is: 'json', text: JSON.stringify(value) }
        : { is: 'text', text: String(value) };
    case 'boolean':
      return { is: 'json', text: String(value) };
    case 'undefined':
      return { is: 'json', text: 'null' };
    case 'bigint':
      return bigintText(value);
    case 'function':
    case 'symbol':
      return note(typeof value);
    case 'object':
      return value === null ? { is: 'json', text: 'null' } : classifyObject(value, key);
  }
}

/** To decimals takes the square of the digits; to hexadecimals it does not. */
function bigintText(value: bigint): Readable {
  const digits = value.toString(16).length;
  return digits > LONGEST_BIGINT_DIGITS
    ? note(`an integer of ${digits} hexadecimal digits`)
    : { is: 'text', text: value.toString() };
}

function classifyObject(value: object, key: string): Readable {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === Object.prototype || prototype === Array.prototype;
  const read = isPlain ? undefined : classifyBuiltIn(value, key);
  if (read) return read;
  const toJson = 'toJSON' in value ? value.toJSON : undefined;
  if (typeof toJson === 'function') {
    const made: unknown = toJson.call(value, key);
    if (typeof made !== 'object' || made === null) return classify(made, key);
    return fieldsOf(made);
  }
  return fieldsOf(value);
}

function classifyBuiltIn(value: object, key: string): Readable | undefined {
  if (ArrayBuffer.isView(value)) return note(`${nameOf(value)} of ${value.byteLength} bytes`);
  if (types.isAnyArrayBuffer(value)) return note(`${nameOf(value)} of ${value.byteLength} bytes`);
  if (types.isMap(value)) return { is: 'pairs', tag: '[Map]', entries: Map.prototype.entries.call(value) };
  if (types.isSet(value)) return { is: 'pairs', tag: '[Set]', entries: Set.prototype.values.call(value) };
  if (types.isRegExp(value)) return { is: 'text', text: RegExp.prototype.toString.call(value) };
  if (types.isBoxedPrimitive(value)) return classify(Object.prototype.valueOf.call(value).valueOf(), key);
  return undefined;
}

function fieldsOf(value: object): Readable {
  if (Array.isArray(value)) return { is: 'list', list: value, length: value.length };
  const names = Object.keys(value);
  if (types.isNativeError(value)) {
    const hidden = ['name', 'message', 'cause'].filter((name) => name in value && !names.includes(name));
    return { is: 'fields', from: value, names: [...hidden, ...names] };
  }
  const name = names.length === 0 ? nameOf(value) : '';
  if (name !== '' && name !== 'Object') return note(name);
  return { is: 'fields', from: value, names };
}

function nameOf(value: object): string {
  return wireLine(value.constructor?.name ?? '');
}
