import type { Message } from 'holdfast/client';
import { promptOf } from '../script.js';
import type { PlannedSend } from './plan.js';

/** Some hundred bytes, so that a conversation gets long. */
const FILLER = 'The parcel was sent on a Monday and has not come. '.repeat(6);
const MARK = /\[\[([^[\]]+)\]\]/g;

/** What is said; the message's id is in it, so that it is known wherever it turns up. */
export function saidIn(sessionId: string, { id, whileBusy, rounds }: PlannedSend): string {
  const words = `[[${sessionId}/${id}]] ${FILLER}`;
  // One that steers leaves the plan of the turn as it is.
  return whileBusy === 'steer' ? words : `${words}\n${promptOf(rounds)}`;
}

/** The messages in a text, each as `<session>/<id>`. */
export function marksOf(text: string): string[] {
  return [...text.matchAll(MARK)].map(([, mark = '']) => mark);
}

/** Those that a user's message is made of: what was too late for a turn is one. */
export function marksIn(message: Message): string[] {
  if (message.role !== 'user') return [];
  return message.content.flatMap((block) => (block.type === 'text' ? marksOf(block.text) : []));
}
