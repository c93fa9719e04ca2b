import type { Message, UserMessage } from '../messages.js';
import { isNote } from '../notes.js';
import { isInterruptionNote } from '../opening.js';
import type { SummaryMessage } from './settings.js';

export function isSummary(message: Message | undefined): message is SummaryMessage {
  return message?.role === 'user' && message.covers !== undefined;
}

/** A message that a person or the caller wrote: no summary, and nothing that Holdfast tells the model in their name. */
function isSaid(message: Message): message is UserMessage {
  return isAsked(message) && !isNote(message) && !isInterruptionNote(message);
}

/** What a reply is to: what people said, or Holdfast in their name. */
function isAsked(message: Message): message is UserMessage {
  return message.role === 'user' && !isSummary(message);
}

/** Where the conversation begins, after what the system says. */
export function bodyStart(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system');
  return first < 0 ? messages.length : first;
}

/**
 * Where a valid transcript may be cut so that its last `kept` exchanges stay. An exchange is a reply with its results and what
 * people, or Holdfast, had said before it; what was said after the last one stays with all of them. No call is ever parted from its
 * results: a tool message is never the first after a cut. Undefined where there are not so many.
 */
export function cutFor(messages: readonly Message[], kept: number): number | undefined {
  const from = bodyStart(messages);
  const replies = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  if (kept === 0) return messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool') + 1;
  const reply = replies.at(-kept);
  if (reply === undefined) return undefined;
  let cut = reply;
  for (let before = messages[cut - 1]; cut > from && before && isAsked(before); before = messages[cut - 1])
    cut -= 1;
  return cut;
}

/** As {@link cutFor}, for the last `kept` turns: a cut is right before something that a person said, or after all. */
export function turnCutFor(messages: readonly Message[], kept: number): number | undefined {
  if (kept === 0) return cutFor(messages, 0);
  const starts = messages.flatMap((message, index) => {
    const before = messages[index - 1];
    return isSaid(message) && !(before && isSaid(before)) ? [index] : [];
  });
  return starts.at(-kept);
}

/** The index of the last message that a person wrote; -1 for none. */
export function lastSaid(messages: readonly Message[]): number {
  return messages.findLastIndex(isSaid);
}
