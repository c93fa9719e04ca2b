/** What JSON can carry: the only values that cross a process. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON without throwing: broken text is an ordinary answer of a model, not a fault. */
export function parseJson(text: string): { ok: true; value: Json } | { ok: false; problem: string } {
  try {
    return { ok: true, value: JSON.parse(text) as Json };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Bytes of UTF-8 of a value's JSON. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** As many of the last ones as take no more JSON than that. */
export function latest<Item>(items: readonly Item[], maxBytes: number): Item[] {
  let bytes = 0;
  const first = items.findLastIndex((item) => {
    bytes += jsonBytes(item);
    return bytes > maxBytes;
  });
  return items.slice(first + 1);
}
