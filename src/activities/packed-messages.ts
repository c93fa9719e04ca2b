import { Context } from '@temporalio/activity';
import type { Artifacts } from '../artifacts/artifacts.js';
import { artifactsIn } from '../shared/artifact-names.js';
import type { TranscriptBase } from '../shared/carried.js';
import { isSummary } from '../shared/compaction/exchanges.js';
import { keptCount } from '../shared/cut-transcript.js';
import { jsonBytes, latest } from '../shared/json.js';
import type { Message } from '../shared/messages.js';
import type {
  CutTranscript,
  CutTranscriptInput,
  ReadMessages,
  ReadMessagesInput,
} from '../shared/session-activities.js';
import { INLINE_BYTES, NAMES_BYTES } from './collect-turn.js';
import { beatWhile } from './heartbeats.js';
import type { ActivityServices } from './services.js';
import { firstOf, marked } from './session-segments.js';
import { unpackAll, unpackSegment } from './transcript-segments.js';

export async function cutTranscript(
  { artifacts }: ActivityServices,
  input: CutTranscriptInput,
): Promise<CutTranscript> {
  return await beatWhile(Context.current(), { details: () => undefined }, () =>
    cutMessages(artifacts, input),
  );
}

/** The messages up to a place. Segments before it stay as they are. */
export async function cutMessages(
  artifacts: Artifacts,
  { base, compacted, keep }: CutTranscriptInput,
): Promise<CutTranscript> {
  const messages = await unpackAll(base.segments, artifacts);
  const count = keptCount(messages, keep);
  if (count === undefined) return { v: 1, problem: `No message of the session has that id: ${idOf(keep)}` };
  const kept = await firstOf(base, messages, count, INLINE_BYTES, artifacts);
  const names = latest(artifactsIn(messages.slice(0, count)), NAMES_BYTES);
  const shorter = compacted && (await cutCompacted(compacted, keep, artifacts));
  return {
    ...{ v: 1, artifacts: names },
    ...(kept && { base: kept }),
    ...(shorter && { compacted: shorter }),
  };
}

/** Undefined where its summary stands for messages that are to go: then the others have to be given as they were. */
async function cutCompacted(
  compacted: TranscriptBase,
  keep: CutTranscriptInput['keep'],
  artifacts: Artifacts,
): Promise<TranscriptBase | undefined> {
  const messages = await unpackAll(compacted.segments, artifacts);
  const count = keptCount(messages, keep);
  if (count === undefined || messages.slice(count).some(isSummary)) return undefined;
  return marked(await firstOf(compacted, messages, count, INLINE_BYTES, artifacts), messages);
}

function idOf(keep: CutTranscriptInput['keep']): string {
  return typeof keep === 'string' ? keep : 'upTo' in keep ? keep.upTo : keep.before;
}

export async function readMessages(
  { artifacts }: ActivityServices,
  { segment, from, maxBytes }: ReadMessagesInput,
): Promise<ReadMessages> {
  const messages: Message[] = [];
  let bytes = 0;
  for (const message of (await unpackSegment(segment, artifacts)).slice(from)) {
    bytes += jsonBytes(message);
    if (messages.length > 0 && bytes > maxBytes) break;
    messages.push(message);
  }
  return { v: 1, messages };
}
