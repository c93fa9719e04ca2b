import type { Message, UserMessage } from '../messages.js';
import type { SummaryMessage } from './settings.js';

export function isSummary(message: Message | undefined): message is SummaryMessage {
  return message?.role === 'user' && message.covers !== undefined;
}

/** A message that a person or the caller wrote: no summary. */
function isSaid(message: Message): message is UserMessage {
  return message.role === 'user' && !isSummary(message);
}

/** Where the conversation begins, after what the system says. */
export function bodyStart(messages: readonly Message[]): number {
  const first = messages.findIndex(({ role }) => role !== 'system');
  return first < 0 ? messages.length : first;
}

/**
 * Where a valid transcript may be cut so that its last `kept` exchanges stay. An exchange is a reply with its results and what
 * people had said before it; what was said after the last one stays with all of them. No call is ever parted from its
 * results: a tool message is never the first after a cut. Undefined where there are not so many.
 */
export function cutFor(messages: readonly Message[], kept: number): number | undefined {
  const from = bodyStart(messages);
  const replies = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  if (kept === 0) return messages.findLastIndex(({ role }) => role === 'assistant' || role === 'tool') + 1;
  const reply = replies.at(-kept);
  if (reply === undefined) return undefined;
  let cut = reply;
  for (let before = messages[cut - 1]; cut > from && before && isSaid(before); before = messages[cut - 1])
    cut -= 1;
  return cut;
}

/** The index of the last message that a person wrote; -1 for none. */
export function lastSaid(messages: readonly Message[]): number {
  return messages.findLastIndex(isSaid);
}
