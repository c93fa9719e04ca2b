import type { Artifacts } from '../artifacts/artifacts.js';
import { type ArtifactRef, keptNote, readRestHint } from '../shared/artifacts.js';
import { type TextBlock, type ToolResultBlock, textContent } from '../shared/messages.js';
import { errorText, wireLine } from '../shared/wire-text.js';
import { visibleText, wholeCharacters } from './utf8.js';
import { type ValueText, valueText } from './value-text.js';

/** The most of a result that the model is given, in UTF-8 bytes; mini-claw-code has the same bound. */
export const MAX_RESULT_BYTES = 100_000;
const MAX_BLOCKS = 10_000;
const TAIL_SHARE = 0.25;
/** For the note between head and tail. */
const NOTE_BYTES = 500;

/**
 * What a tool returned, as its result: a text as it is, anything else as JSON, nothing as nothing. What is too long for
 * the model is cut in the middle, and kept whole as an artifact, unless the tool has kept one (`own`) itself. Throws
 * where nothing of the value can be read, and nowhere else.
 */
export async function resultContent(
  callId: string,
  value: unknown,
  artifacts: Artifacts,
  own?: ArtifactRef,
  maxBytes: number = MAX_RESULT_BYTES,
): Promise<Pick<ToolResultBlock, 'content' | 'artifact'>> {
  const content = textsIn(value);
  const kept = own && { artifact: own };
  if (content === undefined || content === null || content === '') {
    return { content: own ? textContent(callId, keptNote(own, '')) : [], ...kept };
  }
  const whole = valueText(content);
  const short = asIs(whole, maxBytes);
  if (short !== undefined) {
    return { content: textContent(callId, own ? short + keptNote(own, short) : short), ...kept };
  }
  if (own) {
    const [block] = cut(callId, whole, maxBytes, () => 'the tool has kept something else');
    const text = block?.text ?? '';
    return { content: textContent(callId, text + keptNote(own, text)), ...kept };
  }
  try {
    const artifact = await artifacts.save(whole.bytes);
    return { content: cut(callId, whole, maxBytes, (offset) => readRestHint(artifact, offset)), artifact };
  } catch (error) {
    const why = wireLine(errorText(error));
    return { content: cut(callId, whole, maxBytes, () => `they could not be kept: ${why}`) };
  }
}

/** A list of text blocks, as some tools write their results, is its texts; one without any is nothing. */
function textsIn(value: unknown): unknown {
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

function asIs({ bytes, problem }: ValueText, maxBytes: number): string | undefined {
  if (problem !== undefined || bytes.length > maxBytes) return undefined;
  const text = visibleText(bytes);
  return Buffer.byteLength(text) <= maxBytes ? text : undefined;
}

/** Keeps the head and the tail, cut between characters, and says how much is left out and, by `rest`, where it is. */
function cut(
  callId: string,
  { bytes, problem }: ValueText,
  maxBytes: number,
  rest: (offset: number) => string,
): TextBlock[] {
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
    if (Buffer.byteLength(text) <= maxBytes) return textContent(callId, text);
  }
}
