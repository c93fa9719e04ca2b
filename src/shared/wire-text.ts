import { jsonBytes } from './json.js';

/** The most UTF-8 bytes of a free text (failure message, stack, summary) that goes into a protobuf string. */
export const WIRE_TEXT_BYTES = 8192;

/** The most UTF-8 bytes of an id or a type name. */
export const WIRE_ID_BYTES = 200;

const CUT_MARK = '…';
const CUT_MARK_BYTES = 3;
const UNSHOWABLE = '[a value that cannot be shown as text]';
const REPLACEMENT = '\ufffd';

/**
 * Makes any value a string that a protobuf field, PostgreSQL and a terminal can hold: well-formed Unicode,
 * no NUL, at most `maxBytes` bytes of UTF-8, with "…" at its end where it was cut.
 *
 * Every string that becomes a protobuf string passes here. An activity that throws `Error('bad \ud800')`
 * ends the worker's process, and on the retry the next one, and the next (measured on SDK 1.24).
 *
 * Never throws, whatever the value is: a getter or a `toString` that throws gives a text that says so.
 */
export function wireText(value: unknown, maxBytes: number = WIRE_TEXT_BYTES): string {
  return cutToBytes(toText(value).toWellFormed().replaceAll('\0', REPLACEMENT), maxBytes);
}

/** JSON writes a control character with six bytes, which is the most. */
const JSON_BYTES_A_BYTE = 6;

/** A text as it is, where its JSON takes no more than that; else as much of its beginning as surely fits. */
export function boundedText(text: string, maxJsonBytes: number): string {
  if (text.length * JSON_BYTES_A_BYTE <= maxJsonBytes || jsonBytes(text) <= maxJsonBytes) return text;
  return cutToBytes(text, Math.floor(maxJsonBytes / JSON_BYTES_A_BYTE));
}

/** As {@link wireText}, for ids and type names: one line, no control characters, at most 200 bytes, never empty. */
export function wireId(value: unknown): string {
  const clean = toText(value)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '_');
  return cutToBytes(clean, WIRE_ID_BYTES) || '_';
}

/** As {@link wireId}; two different texts that are too long stay different. */
export function distinctWireId(text: string): string {
  const id = wireId(text);
  return id.length < text.length ? `${wireLine(text, WIRE_ID_BYTES - 12)}~${fnv1a(text)}` : id;
}

/** FNV-1a, 32 bits, hexadecimal: tells texts apart, and protects nothing. */
export function fnv1a(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** As {@link wireText}, on one line and at most `maxBytes` bytes: for summaries in the Web UI and in terminals. */
export function wireLine(value: unknown, maxBytes: number = WIRE_ID_BYTES): string {
  const oneLine = toText(value)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return cutToBytes(oneLine, maxBytes);
}

/** What an error says, as {@link wireText}; never empty. Never throws, whatever was thrown: a getter of it may. */
export function errorText(error: unknown): string {
  try {
    const message = error instanceof Error ? error.message : error;
    return wireText(message) || wireText(error) || 'no text';
  } catch {
    return UNSHOWABLE;
  }
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return String(value);
  } catch {
    return UNSHOWABLE;
  }
}

/** Cuts at a code point, so that no half of a character is left. */
function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  let lastThatLeavesRoom = 0;
  for (let index = 0; index < text.length; ) {
    const codePoint = text.codePointAt(index) ?? 0;
    bytes += utf8Bytes(codePoint);
    if (bytes > maxBytes)
      return text.slice(0, lastThatLeavesRoom) + (maxBytes >= CUT_MARK_BYTES ? CUT_MARK : '');
    index += codePoint > 0xffff ? 2 : 1;
    if (bytes <= maxBytes - CUT_MARK_BYTES) lastThatLeavesRoom = index;
  }
  return text;
}

function utf8Bytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
