import type { Message, ToolMessage } from '../messages.js';
import { lastSaid } from './exchanges.js';
import type { Summarising } from './plan.js';
import type { SummaryMessage } from './settings.js';

/** A compacted transcript in terms of the one before: messages that stay, by their places, and those that are new. */
export type Piece = { keep: [from: number, to: number] } | { put: Message };

export function summaryPieces(
  length: number,
  { from, cut, said }: Summarising,
  summary: SummaryMessage,
): Piece[] {
  return [
    ...keep(0, from),
    ...(said === undefined ? [] : keep(said, said + 1)),
    { put: summary },
    ...keep(cut, length),
  ];
}

export function clearedPieces(
  messages: readonly Message[],
  cleared: ReadonlyMap<string, ToolMessage>,
): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const [index, { id }] of messages.entries()) {
    const put = cleared.get(id);
    if (!put) continue;
    pieces.push(...keep(from, index), { put });
    from = index + 1;
  }
  return [...pieces, ...keep(from, messages.length)];
}

/** With all messages before `packed` put, since the workflow does not hold those. */
export function withoutPacked(
  pieces: readonly Piece[],
  messages: readonly Message[],
  packed: number,
): Piece[] {
  return pieces.flatMap((piece): Piece[] => {
    if ('put' in piece) return [piece];
    const [from, to] = piece.keep;
    const put = messages.slice(from, Math.min(to, packed)).map((message) => ({ put: message }));
    return [...put, ...keep(Math.max(from, packed), to)];
  });
}

/**
 * The new transcript. `messages` are those from `packed` on, before which nothing is kept. `firstOwn` is the index of the
 * turn's first own message, before and after: what is new counts for the turn's where the message after it does.
 */
export function applyPieces(
  messages: readonly Message[],
  pieces: readonly Piece[],
  firstOwn: number,
  packed = 0,
): { messages: Message[]; firstOwn: number } {
  const applied: Message[] = [];
  let earlier: number | undefined;
  for (const piece of pieces) {
    if ('put' in piece) {
      applied.push(piece.put);
      continue;
    }
    const [from, to] = piece.keep;
    if (earlier === undefined && to > firstOwn) earlier = applied.length + Math.max(0, firstOwn - from);
    applied.push(...messages.slice(from - packed, to - packed));
  }
  return { messages: applied, firstOwn: earlier ?? applied.length };
}

/**
 * An earlier conversation, whole, as the next turn is to be given it: with the summary in the place of what it stands for,
 * but for the last message of a person. As it is where it does not have those messages.
 */
export function withSummary(messages: readonly Message[], summary: SummaryMessage): Message[] {
  const { from, to } = summary.covers;
  const first = messages.findIndex(({ id }) => id === from);
  const last = messages.findLastIndex(({ id }) => id === to);
  if (first < 0 || last < first) return [...messages];
  const said = lastSaid(messages);
  const plan: Summarising = {
    do: 'summarise',
    from: first,
    cut: last + 1,
    maxTokens: 0,
    ...(said >= first && said <= last && { said }),
  };
  return applyPieces(messages, summaryPieces(messages.length, plan, summary), 0).messages;
}

function keep(from: number, to: number): Piece[] {
  return from < to ? [{ keep: [from, to] }] : [];
}
