import { visibleText, wholeCharacters } from './utf8.js';

/** `problem`: why there is no more of it. */
export type WholeText = { bytes: Uint8Array; problem?: string };

const TAIL_SHARE = 0.25;
/** For the note between head and tail. */
const NOTE_BYTES = 500;
const MAX_BLOCKS = 10_000;

/** The text as a model reads it, or undefined where it takes more bytes than that. */
export function asIs({ bytes, problem }: WholeText, maxBytes: number): string | undefined {
  if (problem !== undefined || bytes.length > maxBytes) return undefined;
  const text = visibleText(bytes);
  return utf8(text).length <= maxBytes ? text : undefined;
}

/** Keeps the head and the tail, cut between characters, and says how much is left out and, by `rest`, where it is. */
export function cutInMiddle(
  { bytes, problem }: WholeText,
  maxBytes: number,
  rest: (offset: number) => string,
): string {
  // Control characters take more room where they are made visible.
  for (let room = maxBytes - NOTE_BYTES; ; room = Math.floor(room / 2)) {
    const tailBytes = Math.min(Math.floor(room * TAIL_SHARE), bytes.length);
    const headEnd = wholeCharacters(bytes.subarray(0, Math.min(room - tailBytes, bytes.length))).end;
    const tailFrom = Math.max(headEnd, bytes.length - tailBytes);
    const tailStart = tailFrom + wholeCharacters(bytes.subarray(tailFrom)).start;
    const head = visibleText(bytes.subarray(0, headEnd));
    const tail = visibleText(bytes.subarray(tailStart));
    const left = tailStart - headEnd;
    const missing = problem === undefined ? '' : `; there was more, but ${problem}`;
    const note = `\n[... ${left} bytes left out of ${bytes.length}${missing}; ${rest(headEnd)} ...]\n`;
    const text = head + note + tail;
    if (utf8(text).length <= maxBytes) return text;
  }
}

/** A list of text blocks, as some tools write their results, is its texts; one without any is nothing. */
export function textsIn(value: unknown): unknown {
  try {
    // A list may claim billions of items.
    if (!Array.isArray(value) || value.length > MAX_BLOCKS || !value.every(isTextBlock)) return value;
    if (value.length > 0 && !(0 in value)) return value;
    return value.map((block) => block.text).join('\n');
  } catch {
    return value;
  }
}

function isTextBlock(value: unknown): value is { text: string } {
  if (typeof value !== 'object' || value === null) return false;
  return 'type' in value && value.type === 'text' && 'text' in value && typeof value.text === 'string';
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
