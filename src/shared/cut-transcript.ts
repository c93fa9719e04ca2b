import { type Message, toolCallsOf } from './messages.js';
import { type Check, isNonEmptyText, isOneOf, isShape } from './shape.js';

/** Where a transcript is cut: what is kept ends with that message, or right before it; or nothing, or all, is kept. */
export type CutPlace = { upTo: string } | { before: string } | 'all' | 'nothing';

const isUpTo = isShape({ upTo: isNonEmptyText });
const isBefore = isShape({ before: isNonEmptyText });
const isWord = isOneOf('all', 'nothing');

export const isCutPlace: Check = (value, path) => {
  if (typeof value !== 'object' || value === null) return isWord(value, path);
  return ('before' in value ? isBefore : isUpTo)(value, path);
};

/**
 * How many messages of a valid transcript are kept, or undefined where the message is not in it. No round is torn: with an
 * assistant message its results are kept; right before results is right before the calls.
 */
export function keptCount(messages: readonly Message[], keep: CutPlace): number | undefined {
  if (keep === 'all') return messages.length;
  if (keep === 'nothing') return 0;
  const id = 'upTo' in keep ? keep.upTo : keep.before;
  const index = messages.findIndex((message) => message.id === id);
  if (index < 0) return undefined;
  if ('upTo' in keep) return index + (isRound(messages, index) ? 2 : 1);
  return isRound(messages, index - 1) ? index - 1 : index;
}

/** Whether this message has calls, so that the next one has their results. */
function isRound(messages: readonly Message[], index: number): boolean {
  const message = messages[index];
  return message !== undefined && toolCallsOf(message).length > 0;
}
