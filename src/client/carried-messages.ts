import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { CarriedTranscript, TranscriptSegment } from '../shared/carried.js';
import { type Message, textContent } from '../shared/messages.js';

/** `deltaFrom`: the index of the first message that the turn added. */
export type EarlierMessages = { messages: Message[]; deltaFrom: number };

/**
 * The messages of a turn before its last run, for when the runs before that are gone from the server. What is in the
 * workers' artifact store can't be read from here: a note stands for it, which counts for the turn's where any of what
 * it stands for does.
 */
export async function earlierMessages(transcript: CarriedTranscript): Promise<EarlierMessages> {
  const { deltaFrom } = transcript;
  if ('messages' in transcript) return { messages: transcript.messages, deltaFrom };
  const messages: Message[] = [];
  let shift = 0;
  let end = 0;
  for (const [index, segment] of transcript.base.segments.entries()) {
    const start = end;
    end += segment.count;
    messages.push(...(await segmentMessages(segment, index)));
    if ('inline' in segment || start >= deltaFrom) continue;
    shift += end <= deltaFrom ? segment.count - 1 : deltaFrom - start;
  }
  return { messages, deltaFrom: deltaFrom - shift };
}

async function segmentMessages(segment: TranscriptSegment, index: number): Promise<Message[]> {
  if ('inline' in segment) {
    const json = await promisify(gunzip)(Buffer.from(segment.inline, 'base64'));
    return JSON.parse(json.toString('utf8')) as Message[];
  }
  const id = `packed-${index}`;
  const text = `[${segment.count} earlier messages are in the artifact store of the turn's workers, as ${segment.artifact.sha256}.]`;
  return [{ role: 'user', id, content: textContent(id, text) }];
}
