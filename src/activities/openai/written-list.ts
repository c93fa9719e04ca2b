/**
 * A JSON array whose items are written already. A long transcript is sent again with every call: so each of its
 * messages is written once, and a request's body is put together from bytes.
 */
export class WrittenList {
  /** JSON in UTF-8, each one item or several with commas between. */
  readonly #parts: readonly Buffer[];

  constructor(parts: readonly Buffer[]) {
    this.#parts = parts.filter((part) => part.length > 0);
  }

  bytes(): Buffer[] {
    return [OPEN, ...this.#parts.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part])), CLOSE];
  }
}

const COMMA = Buffer.from(',');
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

/** JSON in UTF-8 of an object, any field of which may be a {@link WrittenList}: the pieces of it, in order. */
export function writtenBody(body: object): Buffer[] {
  const parts: Buffer[] = [];
  for (const [name, value] of Object.entries(body)) {
    const written = value instanceof WrittenList ? value.bytes() : writtenValue(value);
    if (written)
      parts.push(Buffer.from(`${parts.length === 0 ? '' : ','}${JSON.stringify(name)}:`), ...written);
  }
  return [Buffer.from('{'), ...parts, Buffer.from('}')];
}

/** Nothing of what JSON has no value for, as in JSON.stringify. */
function writtenValue(value: unknown): Buffer[] | undefined {
  const json: string | undefined = JSON.stringify(value);
  return json === undefined ? undefined : [Buffer.from(json)];
}

export function writtenItems(items: readonly object[]): Buffer {
  return Buffer.from(items.map((item) => JSON.stringify(item)).join(','));
}

/** Items of a list, or several of them each, as one buffer. */
export function joinedItems(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part])));
}
