import type { Json } from '../../shared/json.js';

/**
 * A value of the wire as JSON. JSON.parse reads what is nested as deep as one likes, and JSON.stringify overflows the
 * stack at some thousand levels: then `instead`.
 */
export function jsonText(
  value: Json | object,
  instead: string,
  replacer?: (key: string, value: unknown) => unknown,
): string {
  try {
    return JSON.stringify(value, replacer);
  } catch (error) {
    if (error instanceof RangeError) return instead;
    throw error;
  }
}

export const TOO_DEEP = 'it is nested too deep to be read';

/** As JSON that is none, so that a call with such arguments is answered with what is wrong, and never run. */
export function argumentsText(written: Json): string {
  return typeof written === 'string' ? written : jsonText(written, `(${TOO_DEEP})`);
}
