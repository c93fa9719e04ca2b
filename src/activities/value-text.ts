import { errorText } from '../shared/wire-text.js';
import { type Readable, readable } from './readable-value.js';

/** What is written of one result at most, and for how long: other activities wait meanwhile. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_MS = 3000;
const MAX_DEPTH = 500;
const FLUSH_CHARACTERS = 65_536;

/** `problem`: why the rest is missing. */
export type ValueText = { bytes: Buffer; problem?: string };

/**
 * Any value as text, in UTF-8: a string as it is, all else as JSON. What JSON can't carry is named in its place:
 * cycles, binary data, functions, maps, errors, what refuses to be read. Bounded in bytes, time and depth. Throws only
 * where nothing at all of the value can be read.
 */
export function valueText(value: unknown, maxBytes = MAX_BYTES, maxMs = MAX_MS): ValueText {
  if (typeof value === 'string') return plainText(value, maxBytes);
  const read = readable(value, '');
  if (read.is === 'unreadable') throw new Error(read.why);
  // The text of what is no JSON, alone, needs no quotes.
  if (read.is === 'note' || read.is === 'text') return plainText(read.text, maxBytes);
  return new ValueWriter(maxBytes, maxMs).writeAll(value, read);
}

function plainText(text: string, maxBytes: number): ValueText {
  const bytes = Buffer.from(text.slice(0, maxBytes).toWellFormed());
  if (text.length <= maxBytes && bytes.length <= maxBytes) return { bytes };
  return { bytes: bytes.subarray(0, maxBytes), problem: `it takes more than ${maxBytes} bytes` };
}

/** Thrown where the bounds are reached, and caught at the top. */
class Full {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}

class ValueWriter {
  readonly #maxBytes: number;
  readonly #maxMs: number;
  readonly #startedAt = performance.now();
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #text = '';
  #values = 0;
  /** The objects around what is being written. */
  readonly #open = new Set<object>();

  constructor(maxBytes: number, maxMs: number) {
    this.#maxBytes = maxBytes;
    this.#maxMs = maxMs;
  }

  writeAll(value: unknown, read: Readable): ValueText {
    try {
      if (typeof value === 'object' && value !== null) this.#open.add(value);
      this.#readable(read);
    } catch (full) {
      if (!(full instanceof Full)) throw full;
      this.#flush();
      return { bytes: Buffer.concat(this.#pieces).subarray(0, this.#maxBytes), problem: full.why };
    }
    this.#flush();
    return { bytes: Buffer.concat(this.#pieces) };
  }

  #value(value: unknown, key: string): void {
    this.#values += 1;
    if (this.#values % 512 === 0) this.#checkTime();
    if (typeof value === 'string') this.#string(value);
    else if (typeof value !== 'object' || value === null) this.#readable(readable(value, key));
    else if (this.#open.has(value)) this.#string('[a cycle]');
    else if (this.#open.size >= MAX_DEPTH) this.#string(`[nested more than ${MAX_DEPTH} levels deep]`);
    else {
      this.#open.add(value);
      this.#readable(readable(value, key));
      this.#open.delete(value);
    }
  }

  #readable(read: Readable): void {
    switch (read.is) {
      case 'json':
        this.#add(read.text);
        break;
      case 'note':
      case 'text':
        this.#string(read.text);
        break;
      case 'unreadable':
        this.#string(`[cannot be read: ${read.why}]`);
        break;
      case 'list':
        this.#list(read.list, read.length);
        break;
      case 'pairs':
        this.#pairs(read.tag, read.entries);
        break;
      case 'fields':
        this.#fields(read.from, read.names);
        break;
      default:
        read satisfies never;
    }
  }

  #list(list: readonly unknown[], length: number): void {
    this.#add('[');
    let present: number[] | undefined;
    for (let index = 0; index < length; ) {
      if (index > 0) this.#add(',');
      const item = this.#read(list, String(index));
      if (item !== ABSENT) {
        this.#value(item, String(index));
        index += 1;
        continue;
      }
      // A list may claim billions of items and have none: what is there is looked up once.
      present ??= presentIndexes(list);
      while (present.length > 0 && (present.at(-1) ?? 0) <= index) present.pop();
      const next = Math.min(present.at(-1) ?? length, length);
      this.#string(`[${next - index} empty]`);
      index = next;
    }
    this.#add(']');
  }

  #pairs(tag: string, entries: Iterable<unknown>): void {
    this.#add(`{"${tag}":[`);
    let first = true;
    for (const entry of entries) {
      if (!first) this.#add(',');
      first = false;
      this.#value(entry, '');
    }
    this.#add(']}');
  }

  #fields(from: object, names: readonly string[]): void {
    let first = true;
    this.#add('{');
    for (const name of names) {
      const value = this.#read(from, name);
      if (value === undefined || value === ABSENT) continue;
      if (!first) this.#add(',');
      first = false;
      this.#string(name);
      this.#add(':');
      this.#value(value, name);
    }
    this.#add('}');
  }

  /** A field that throws is told in its place. */
  #read(from: object, name: string): unknown {
    try {
      const value: unknown = Reflect.get(from, name);
      return value === undefined && !(name in from) ? ABSENT : value;
    } catch (error) {
      return `[cannot be read: ${errorText(error)}]`;
    }
  }

  /** Cut before it is quoted, as quoting doubles what it takes. */
  #string(text: string): void {
    const room = this.#maxBytes - this.#bytes;
    this.#add(JSON.stringify(text.length > room ? text.slice(0, room) : text));
    if (text.length > room) throw new Full(`it takes more than ${this.#maxBytes} bytes`);
  }

  #add(text: string): void {
    this.#text += text;
    if (this.#text.length < FLUSH_CHARACTERS) return;
    this.#flush();
    this.#checkTime();
    if (this.#bytes > this.#maxBytes) throw new Full(`it takes more than ${this.#maxBytes} bytes`);
  }

  #flush(): void {
    const piece = Buffer.from(this.#text);
    this.#bytes += piece.length;
    this.#pieces.push(piece);
    this.#text = '';
  }

  #checkTime(): void {
    if (performance.now() - this.#startedAt > this.#maxMs)
      throw new Full(`writing it took more than ${this.#maxMs} ms`);
  }
}

const ABSENT = Symbol('absent');

/** From the last to the first. */
function presentIndexes(list: readonly unknown[]): number[] {
  try {
    return Object.keys(list)
      .map(Number)
      .filter((index) => Number.isInteger(index))
      .reverse();
  } catch {
    return [];
  }
}
