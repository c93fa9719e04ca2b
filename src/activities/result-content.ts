import { type TextBlock, textContent } from '../shared/messages.js';

/** The most of a result that the model is given, in UTF-8 bytes; mini-claw-code has the same bound. */
const MAX_BYTES = 100_000;
const TAIL_SHARE = 0.25;

/** What a tool returned, as the content of its result: a text as it is, anything else as JSON, nothing as nothing. */
export function resultContent(callId: string, value: unknown): TextBlock[] {
  if (value === undefined || value === null || value === '') return [];
  return textContent(callId, cutMiddle(typeof value === 'string' ? value : toJson(value)).toWellFormed());
}

/** JSON of anything. What JSON can't carry is named in its place, and what refuses to be read is an Error. */
function toJson(value: unknown): string {
  const open: unknown[] = [];
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key, each: unknown) {
    // A Buffer makes an object of itself before it gets here.
    const bytes = this[key];
    if (ArrayBuffer.isView(bytes)) return `[${bytes.constructor.name} of ${bytes.byteLength} bytes]`;
    while (open.length > 0 && open.at(-1) !== this) open.pop();
    if (typeof each === 'bigint') return each.toString();
    if (typeof each === 'function' || typeof each === 'symbol') return `[${typeof each}]`;
    if (each instanceof Map) return { '[Map]': [...each] };
    if (each instanceof Set) return { '[Set]': [...each] };
    if (typeof each !== 'object' || each === null) return each;
    if (open.includes(each)) return '[a cycle]';
    open.push(each);
    return each;
  });
  return text ?? String(value);
}

/** Keeps the head and the tail, cut between characters, and says how much is left out. */
function cutMiddle(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_BYTES) return text;
  const tail = Math.floor(MAX_BYTES * TAIL_SHARE);
  const head = MAX_BYTES - tail;
  const left = bytes.length - MAX_BYTES;
  const note = `\n[... ${left} bytes left out of ${bytes.length} ...]\n`;
  return decodeWhole(bytes.subarray(0, head)) + note + decodeWhole(bytes.subarray(bytes.length - tail));
}

/** Without the broken characters that a cut leaves at either end. */
function decodeWhole(bytes: Buffer): string {
  let start = 0;
  while (start < bytes.length && start < 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes
    .subarray(start)
    .toString('utf8')
    .replace(/\ufffd+$/, '');
}
