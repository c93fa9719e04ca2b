import type { Client } from '@temporalio/client';
import type { TurnEvent } from '../shared/events.js';
import type { SessionTurn } from '../shared/session.js';
import { InvalidInput, TurnNotFound } from './errors.js';
import { type CompactedAfter, sessionTurns } from './session-turns.js';
import { turnError } from './turn-error.js';
import { watchTurn } from './watch-turn.js';

/** `offset` is what to come back with: `session.events({ after: offset })`, from any process. */
export type SessionEvent = { offset: string; turnId: string; event: TurnEvent };

/**
 * What happens in a session, turn by turn, from the start or from after an offset on, to the session's end. Turns whose history
 * Temporal has forgotten are left out: what they said is in the transcript. A compaction between turns comes as an event of the
 * turn before it, after that one's `turn_ended`.
 */
export async function* sessionEvents(
  client: Client,
  sessionId: string,
  options: { after?: string; signal?: AbortSignal },
): AsyncIterableIterator<SessionEvent> {
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const place = placeOf(options.after);
  // A turn that the session does not remember is before all that it does.
  const isAfter = place && (await remembered(client, sessionId, place.turnId));
  let isReached = !isAfter;
  try {
    /** The number of a turn's last event, where it is known. */
    let last: { turnId: string; seq: number } | undefined;
    for await (const turn of sessionTurns(client, sessionId, signal)) {
      const { turnId } = turn;
      const after = turnId === place?.turnId ? place.seq : undefined;
      if (!turn.compaction && turn.isWithdrawn) continue;
      isReached ||= after !== undefined;
      if (turn.compaction) {
        if (!isReached) continue;
        if (last?.turnId !== turnId) last = { turnId, seq: await lastSeq(client, turnId, signal) };
        const seq = last.seq + turn.number;
        if (seq > (after ?? 0)) yield compactionEvent(turn, seq);
        continue;
      }
      // The workflow of a refused one's id is none of the session's.
      if (turn.isRefused) last = { turnId, seq: 0 };
      if (!isReached || turn.isRefused) continue;
      for await (const each of turnEvents(client, turnId, after, signal)) {
        if (each.event.type === 'turn_ended') last = { turnId, seq: each.event.seq };
        yield each;
      }
      if (signal.aborted) return;
    }
  } finally {
    stop.abort();
  }
}

async function* turnEvents(
  client: Client,
  turnId: string,
  after: number | undefined,
  signal: AbortSignal,
): AsyncIterableIterator<SessionEvent> {
  try {
    for await (const event of watchTurn(client, turnId, { signal, ...(after !== undefined && { after }) })) {
      yield { offset: `${turnId}@${event.seq}`, turnId, event };
    }
  } catch (error) {
    if (!(turnError(turnId, error) instanceof TurnNotFound)) throw error;
  }
}

/** The place after a turn that has ended, and after the compactions that the session knows to have followed it. */
export async function offsetAfter(client: Client, turn: SessionTurn): Promise<string> {
  const { turnId, outcome, compactions = [] } = turn;
  const last = outcome === 'not_started' ? 0 : await lastSeq(client, turnId);
  return `${turnId}@${last + compactions.length}`;
}

/** Its number is the next one after those of the turn's own. */
function compactionEvent(
  { turnId, compaction: { at, ...record } }: CompactedAfter,
  seq: number,
): SessionEvent {
  const event = { v: 1 as const, seq, turnId, iteration: 0, attempt: 0, at, type: 'compaction' as const };
  return { offset: `${turnId}@${seq}`, turnId, event: { ...event, ...record } };
}

/** Of a turn that has ended; 0 where nothing is known of it. */
async function lastSeq(client: Client, turnId: string, signal?: AbortSignal): Promise<number> {
  let seq = 0;
  try {
    if (turnId === '') return seq;
    for await (const event of watchTurn(client, turnId, { ...(signal && { signal }), onlyRecorded: true }))
      seq = event.seq;
  } catch (error) {
    if (!(turnError(turnId, error) instanceof TurnNotFound)) throw error;
  }
  return seq;
}

function placeOf(offset: string | undefined): { turnId: string; seq: number } | undefined {
  if (offset === undefined) return undefined;
  const [, turnId, seq] = /^(.*)@(\d+)$/.exec(offset) ?? [];
  if (turnId !== undefined) return { turnId, seq: Number(seq) };
  throw new InvalidInput(
    `${JSON.stringify(offset)} is no offset. Give one that an event of the session bears.`,
  );
}

/** Whether the turn is among those that the session has started up to now. */
async function remembered(client: Client, sessionId: string, turnId: string): Promise<boolean> {
  for await (const known of sessionTurns(client, sessionId)) if (known.turnId === turnId) return true;
  return false;
}
