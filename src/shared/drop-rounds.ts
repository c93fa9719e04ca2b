import { jsonBytes } from './json.js';
import { type Message, textContent, textOf } from './messages.js';

/** Room is made for a while, so that it need not be made at each step, and a provider's prompt cache stays of use. */
const KEPT_SHARE = 0.5;
const NOTE_ID = 'holdfast-dropped-rounds';

/**
 * The transcript without its oldest rounds, where it takes more than `maxBytes` of JSON: half of that is
 * left, or what must stay. A round, which is an assistant message with its results, goes as a whole; what the system and
 * people have said stays, and so does the last round. A note stands where rounds were dropped. `firstOwn` is the index
 * of the turn's first own message, before and after.
 */
export function dropOldRounds(
  messages: readonly Message[],
  firstOwn: number,
  maxBytes: number,
): { messages: Message[]; firstOwn: number } | undefined {
  const sizes = messages.map(jsonBytes);
  let left = sizes.reduce((sum, size) => sum + size, 0);
  if (left <= maxBytes) return undefined;
  const lastRound = messages.findLastIndex((message) => message.role === 'assistant');
  const dropped = new Set<number>();
  for (const [index, message] of messages.entries()) {
    const startsRound = message.role === 'assistant';
    if (startsRound && (left <= maxBytes * KEPT_SHARE || index === lastRound)) break;
    if (!startsRound && message.role !== 'tool' && message.id !== NOTE_ID) continue;
    dropped.add(index);
    left -= sizes[index] ?? 0;
  }
  const first = dropped.values().next().value;
  if (first === undefined || [...dropped].every((index) => messages[index]?.id === NOTE_ID)) return undefined;
  const kept = messages.flatMap((message, index) => {
    if (index === first) return [note(messages, dropped)];
    return dropped.has(index) ? [] : [message];
  });
  const before = [...dropped].filter((index) => index < firstOwn).length;
  return { messages: kept, firstOwn: firstOwn - before + (first < firstOwn ? 1 : 0) };
}

function note(messages: readonly Message[], dropped: ReadonlySet<number>): Message {
  const earlier = messages.find((message) => message.id === NOTE_ID);
  const already = Number(/\d+/.exec(earlier ? textOf(earlier) : '')?.[0] ?? 0);
  const now = [...dropped].filter((index) => messages[index]?.role === 'assistant').length;
  const text = `[${already + now} earlier steps of this work, with their results, were removed here to save space.]`;
  return { role: 'user', id: NOTE_ID, content: textContent(NOTE_ID, text) };
}
