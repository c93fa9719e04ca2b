import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { ApplicationFailure } from '@temporalio/client';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { TranscriptBase, TranscriptSegment } from '../shared/carried.js';
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
  await mergeLast(segments, async (last) => {
    const end = segments.reduce((sum, { count }) => sum + count, 0);
    return messages.slice(end - last.reduce((sum, { count }) => sum + count, 0), end);
  });
  return await placed(segments, inlineBytes, artifacts);
}

/**
 * With these messages after those of `base`, of which no more is unpacked than is packed anew. What the store has lost of that
 * does not keep these from being kept.
 */
export async function appended(
  base: TranscriptBase | undefined,
  messages: readonly Message[],
  inlineBytes: number,
  artifacts: Artifacts,
): Promise<TranscriptBase | undefined> {
  const last = messages.at(-1);
  if (!last) return base;
  const segments = [...(base?.segments ?? [])];
  for (const piece of pieces(messages)) segments.push(await pack(piece));
  await mergeLast(segments, (merged) => unpackAll(merged, artifacts)).catch(unlessLost);
  return {
    segments: await placed(segments, inlineBytes, artifacts),
    count: (base?.count ?? 0) + messages.length,
    headId: last.id,
    lastRole: last.role,
  };
}

export async function unpackAll(
  segments: readonly TranscriptSegment[],
  artifacts: Artifacts,
): Promise<Message[]> {
  return (await Promise.all(segments.map((segment) => unpackSegment(segment, artifacts)))).flat();
}

async function placed(
  segments: TranscriptSegment[],
  inlineBytes: number,
  artifacts: Artifacts,
): Promise<TranscriptSegment[]> {
  const total = segments.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= inlineBytes) return segments;
  const stored = segments.map((segment) =>
    storedOutside(segment, artifacts).catch((error: unknown) => {
      unlessLost(error);
      return segment;
    }),
  );
  return await Promise.all(stored);
}

/** Throws it, unless it tells that an artifact is not there. */
export function unlessLost(error: unknown): void {
  if (!(error instanceof ApplicationFailure && error.type === 'Artifact.NotFound')) throw error;
}

export async function unpackSegment(segment: TranscriptSegment, artifacts: Artifacts): Promise<Message[]> {
  if ('plain' in segment) return segment.plain;
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
async function mergeLast(
  segments: TranscriptSegment[],
  messagesOf: (last: TranscriptSegment[]) => Promise<readonly Message[]>,
): Promise<void> {
  for (;;) {
    const [before, last] = segments.slice(-2);
    if (!before || !last || before.bytes > 2 * last.bytes || before.bytes + last.bytes > MERGED_BYTES) return;
    segments.splice(-2, 2, await pack(await messagesOf([before, last])));
  }
}

async function pack(messages: readonly Message[]): Promise<Extract<TranscriptSegment, { inline: string }>> {
  const packed = await promisify(gzip)(JSON.stringify(messages));
  return { count: messages.length, bytes: packed.length, inline: packed.toString('base64') };
}

/** One that is an artifact already is stored again, so that it counts as new: it must live as long as the turn. */
async function storedOutside(given: TranscriptSegment, artifacts: Artifacts): Promise<TranscriptSegment> {
  const segment = 'plain' in given ? await pack(given.plain) : given;
  const { count, bytes } = segment;
  const packed =
    'inline' in segment ? Buffer.from(segment.inline, 'base64') : await artifacts.load(segment.artifact);
  return { count, bytes, artifact: await artifacts.save(packed) };
}
