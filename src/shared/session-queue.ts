import { type EarlyEnd, INTERRUPT, type SteerMessage } from './interventions.js';
import { jsonBytes } from './json.js';
import { MAX_SEND_BYTES, openedBy, type TurnRequest } from './session-requests.js';

/** A message that waits for its turn. */
export type QueueItem = {
  /** The last part of its turn's workflow id. */
  id: string;
  request: TurnRequest;
  by?: string;
  /** It goes before those that wait, since it replaces the turn that runs. */
  replaces?: true;
  /** Another message has come in its place, or somebody has ended it, before it could run: its turn ends as it begins. */
  ended?: EarlyEnd;
  /** Messages that came too late for another turn are part of it. */
  joined?: true;
};

/** What a run of the session before this wording has carried over. */
export function readQueue(
  queue: readonly (QueueItem & { replacedBy?: { id: string; by?: string } })[],
): QueueItem[] {
  return queue.map(({ replacedBy: by, ...item }) =>
    by ? { ...item, ended: item.ended ?? replacedBy(by) } : item,
  );
}

/** Where no turn runs: the first one is about to begin, and stands for it. */
export function enqueuedBehindNext(queue: readonly QueueItem[], item: QueueItem): QueueItem[] {
  const [next, ...rest] = queue;
  if (!next) return [item];
  return [item.replaces ? { ...next, ended: next.ended ?? replacedBy(item) } : next, ...enqueued(rest, item)];
}

function replacedBy({ id, by }: Pick<QueueItem, 'id' | 'by'>): EarlyEnd {
  return { kind: INTERRUPT, id, reason: 'Another message replaces it.', ...(by !== undefined && { by }) };
}

/** With one more: at the end; or, where it replaces, before all but those that came to replace before it. */
export function enqueued(queue: readonly QueueItem[], item: QueueItem): QueueItem[] {
  if (!item.replaces) return [...queue, item];
  const place = queue.findIndex((each) => !each.replaces);
  const before = place < 0 ? queue : queue.slice(0, place);
  const ended = replacedBy(item);
  return [
    ...before.map((each) => ({ ...each, ended: each.ended ?? ended })),
    item,
    ...queue.slice(before.length),
  ];
}

/**
 * With the messages that a turn has handed back: they open the next turn. That is the one that replaces, or a turn of its own
 * of that id. Says which turn it is, too.
 */
export function reopened(
  queue: readonly QueueItem[],
  messages: readonly SteerMessage[],
  own: { id: string; request: Omit<TurnRequest, 'prompt'> },
): { queue: QueueItem[]; id: string } {
  const texts = messages.map(({ message }) => message);
  const [next, ...rest] = queue;
  if (next?.replaces) {
    const request = openedBy(texts, next.request);
    if (jsonBytes(request) <= MAX_SEND_BYTES)
      return { queue: [{ ...next, request, joined: true }, ...rest], id: next.id };
  }
  const by = messages[0]?.by;
  const request = openedBy(texts, { ...own.request, prompt: '' });
  const joined = messages.length > 1 && { joined: true as const };
  return {
    queue: [{ id: own.id, request, ...(by !== undefined && { by }), ...joined }, ...queue],
    id: own.id,
  };
}

/** Without the item. What it was to replace is replaced by what would have replaced it, or runs to its end. */
export function withdrawnFrom(queue: readonly QueueItem[], { id, ended: next }: QueueItem): QueueItem[] {
  return queue
    .filter((each) => each.id !== id)
    .map(({ ended, ...each }) => {
      const now = ended?.id === id ? next : ended;
      return now ? { ...each, ended: now } : each;
    });
}
