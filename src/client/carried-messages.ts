import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { CarriedTranscript, TranscriptSegment } from '../shared/carried.js';
import { type Message, textContent } from '../shared/messages.js';

/**
 * The messages of a turn before its last run, for when the runs before that are gone from the server. What is in the
 * workers' artifact store can't be read from here: a note stands for it.
 */
export async function carriedMessages(transcript: CarriedTranscript): Promise<Message[]> {
  if ('messages' in transcript) return transcript.messages;
  const segments = await Promise.all(transcript.base.segments.map(segmentMessages));
  return segments.flat();
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
