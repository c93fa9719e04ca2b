import { Context } from '@temporalio/activity';
import { keptCount } from '../shared/cut-transcript.js';
import { jsonBytes } from '../shared/json.js';
import type { Message } from '../shared/messages.js';
import type {
  CutTranscript,
  CutTranscriptInput,
  ReadMessages,
  ReadMessagesInput,
} from '../shared/session-activities.js';
import { INLINE_BYTES } from './collect-turn.js';
import { beatWhile } from './heartbeats.js';
import type { ActivityServices } from './services.js';
import { appended, unpackAll, unpackSegment } from './transcript-segments.js';

/** The messages up to a place. Segments before it stay as they are. */
export async function cutTranscript(
  { artifacts }: ActivityServices,
  { base, keep }: CutTranscriptInput,
): Promise<CutTranscript> {
  return await beatWhile(Context.current(), { details: () => undefined }, async () => {
    const messages = await unpackAll(base.segments, artifacts);
    const count = keptCount(messages, keep);
    if (count === undefined) return { v: 1, problem: `No message of the session has that id: ${idOf(keep)}` };
    let whole = 0;
    const segments = base.segments.filter((segment) => {
      const isWhole = whole + segment.count <= count;
      if (isWhole) whole += segment.count;
      return isWhole;
    });
    const last = messages[whole - 1];
    const before = last && { segments, count: whole, headId: last.id, lastRole: last.role };
    const kept = await appended(before, messages.slice(whole, count), INLINE_BYTES, artifacts);
    return { v: 1, ...(kept && { base: kept }) };
  });
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
