import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { TranscriptSegment } from '../shared/carried.js';
import type { Message } from '../shared/messages.js';

/** So that one segment is unpacked in a moment, and a few of them hold a long transcript. */
const SEGMENT_JSON_BYTES = 8_000_000;
/** Neighbours of about one size become one, as long as the result is below this. */
const MERGED_BYTES = 1_000_000;

/**
 * A transcript's messages as segments. Those that `held` has are left as they are, save that small neighbours are
 * merged, so that a turn of any length has few of them; where all take more than `inlineBytes`, they are kept as
 * artifacts.
 */
export async function packTranscript(
  messages: readonly Message[],
  held: readonly TranscriptSegment[],
  inlineBytes: number,
  artifacts: Artifacts,
): Promise<TranscriptSegment[]> {
  const segments = [...held];
  let from = held.reduce((sum, { count }) => sum + count, 0);
  for (const piece of pieces(messages.slice(from))) {
    segments.push(await pack(piece));
    from += piece.length;
  }
  await mergeLast(segments, messages);
  const total = segments.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= inlineBytes) return segments;
  return await Promise.all(segments.map((segment) => storedOutside(segment, artifacts)));
}

export async function unpackSegment(segment: TranscriptSegment, artifacts: Artifacts): Promise<Message[]> {
  const packed =
    'inline' in segment ? Buffer.from(segment.inline, 'base64') : await artifacts.load(segment.artifact);
  return JSON.parse((await promisify(gunzip)(packed)).toString('utf8')) as Message[];
}

function* pieces(messages: readonly Message[]): Generator<readonly Message[]> {
  let first = 0;
  let bytes = 0;
  for (const [index, message] of messages.entries()) {
    const size = JSON.stringify(message).length;
    if (index > first && bytes + size > SEGMENT_JSON_BYTES) {
      yield messages.slice(first, index);
      first = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (first < messages.length) yield messages.slice(first);
}

/** As a binary counter carries: a segment joins the one before it when that one is not more than twice as large. */
async function mergeLast(segments: TranscriptSegment[], messages: readonly Message[]): Promise<void> {
  for (;;) {
    const [before, last] = segments.slice(-2);
    if (!before || !last || before.bytes > 2 * last.bytes || before.bytes + last.bytes > MERGED_BYTES) return;
    const end = segments.reduce((sum, { count }) => sum + count, 0);
    const merged = await pack(messages.slice(end - before.count - last.count, end));
    segments.splice(-2, 2, merged);
  }
}

async function pack(messages: readonly Message[]): Promise<TranscriptSegment> {
  const packed = await promisify(gzip)(JSON.stringify(messages));
  return { count: messages.length, bytes: packed.length, inline: packed.toString('base64') };
}

/** One that is an artifact already is stored again, so that it counts as new: it must live as long as the turn. */
async function storedOutside(segment: TranscriptSegment, artifacts: Artifacts): Promise<TranscriptSegment> {
  const { count, bytes } = segment;
  const packed =
    'inline' in segment ? Buffer.from(segment.inline, 'base64') : await artifacts.load(segment.artifact);
  return { count, bytes, artifact: await artifacts.save(packed) };
}
