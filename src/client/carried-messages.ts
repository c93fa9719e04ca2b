import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { CarriedTranscript, TranscriptBase, TranscriptSegment } from '../shared/carried.js';
import { type Message, textContent } from '../shared/messages.js';
import { openingMessages } from '../shared/opening.js';
import type { TurnInput } from '../shared/turn-input.js';

/** `deltaFrom`: the index of the first message that the turn added. */
export type EarlierMessages = { messages: Message[]; deltaFrom: number };

/** Reads what a client itself can't: undefined where this reader can't either. */
export type ReadSegment = (segment: TranscriptSegment) => Promise<Message[] | undefined>;

/**
 * The messages of a turn before its last run, for when the runs before that are gone from the server. What is in the
 * workers' artifact store can't be read from here: a note stands for it, which counts for the turn's where any of what
 * it stands for does.
 */
export async function earlierMessages(
  transcript: CarriedTranscript,
  read?: ReadSegment,
): Promise<EarlierMessages> {
  const { deltaFrom } = transcript;
  if ('messages' in transcript) return { messages: transcript.messages, deltaFrom };
  const messages: Message[] = [];
  let shift = 0;
  let end = 0;
  for (const [index, segment] of transcript.base.segments.entries()) {
    const start = end;
    end += segment.count;
    const held = (await read?.(segment)) ?? (await heldMessages(segment));
    messages.push(...(held ?? noteOn(segment, index)));
    if (held || start >= deltaFrom) continue;
    shift += end <= deltaFrom ? segment.count - 1 : deltaFrom - start;
  }
  return { messages, deltaFrom: deltaFrom - shift };
}

/** How a turn of a session begins: after the session's `earlier` messages. */
export async function openingAfter(
  earlier: TranscriptBase,
  input: TurnInput,
  firstRunId: string,
  read?: ReadSegment,
): Promise<EarlierMessages> {
  const { messages, deltaFrom } = openingMessages(input, firstRunId);
  const before = await earlierMessages(
    { base: earlier, deltaFrom: earlier.count, added: 0, epoch: 0, dropped: false },
    read,
  );
  return {
    messages: [...messages.slice(0, deltaFrom), ...before.messages, ...messages.slice(deltaFrom)],
    deltaFrom: deltaFrom + before.messages.length,
  };
}

/** Undefined where they are in the artifact store. */
export async function heldMessages(segment: TranscriptSegment): Promise<Message[] | undefined> {
  if ('plain' in segment) return segment.plain;
  if (!('inline' in segment)) return undefined;
  const json = await promisify(gunzip)(Buffer.from(segment.inline, 'base64'));
  return JSON.parse(json.toString('utf8')) as Message[];
}

function noteOn(segment: TranscriptSegment, index: number): Message[] {
  if (!('artifact' in segment)) return [];
  const id = `packed-${index}`;
  const text = `[${segment.count} earlier messages are in the artifact store of the turn's workers, as ${segment.artifact.sha256}.]`;
  return [{ role: 'user', id, content: textContent(id, text) }];
}
