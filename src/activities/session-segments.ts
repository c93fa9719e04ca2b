import type { Artifacts } from '../artifacts/artifacts.js';
import type { TranscriptBase } from '../shared/carried.js';
import { isSummary } from '../shared/compaction/exchanges.js';
import type { Message } from '../shared/messages.js';
import { appended } from './transcript-segments.js';

/** What a session's turns are given in the place of its messages: packed, and with what its summary stands for. */
export async function packedView(
  messages: readonly Message[],
  inlineBytes: number,
  artifacts: Artifacts,
): Promise<TranscriptBase | undefined> {
  return marked(await appended(undefined, messages, inlineBytes, artifacts), messages);
}

/** `messages`: all that is packed. */
export function marked(
  base: TranscriptBase | undefined,
  messages: readonly Message[],
): TranscriptBase | undefined {
  const covers = messages.find(isSummary)?.covers;
  return base && { ...base, compacted: { ...(covers && { covers }) } };
}

/** So many of a base's messages, which are given whole. Segments before the cut stay as they are. */
export async function firstOf(
  base: TranscriptBase,
  messages: readonly Message[],
  count: number,
  inlineBytes: number,
  artifacts: Artifacts,
): Promise<TranscriptBase | undefined> {
  let whole = 0;
  const segments: TranscriptBase['segments'] = [];
  for (const segment of base.segments) {
    if (whole + segment.count > count) break;
    whole += segment.count;
    segments.push(segment);
  }
  const last = messages[whole - 1];
  const before = last && { segments, count: whole, headId: last.id, lastRole: last.role };
  return await appended(before, messages.slice(whole, count), inlineBytes, artifacts);
}
