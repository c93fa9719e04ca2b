import type { Client } from '@temporalio/client';
import type { TurnEvent } from '../shared/events.js';
import { TurnNotFound } from './errors.js';
import { sessionTurns } from './session-turns.js';
import { turnError } from './turn-error.js';
import { watchTurn } from './watch-turn.js';

/** `offset` is what to come back with: `session.events({ after: offset })`, from any process. */
export type SessionEvent = { offset: string; turnId: string; event: TurnEvent };

/**
 * What happens in a session, turn by turn, from the start or from after an offset on, to the session's end. Turns whose history
 * Temporal has forgotten are left out: what they said is in the transcript.
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
    for await (const { turnId, isRefused, isWithdrawn } of sessionTurns(client, sessionId, signal)) {
      if (isRefused || isWithdrawn) continue;
      const isPlace = turnId === place?.turnId;
      isReached ||= isPlace;
      if (isReached) yield* turnEvents(client, turnId, isPlace ? place?.seq : undefined, signal);
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

function placeOf(offset: string | undefined): { turnId: string; seq: number } | undefined {
  const [, turnId, seq] = /^(.+)@(\d+)$/.exec(offset ?? '') ?? [];
  return turnId === undefined ? undefined : { turnId, seq: Number(seq) };
}

/** Whether the turn is among those that the session has started up to now. */
async function remembered(client: Client, sessionId: string, turnId: string): Promise<boolean> {
  for await (const known of sessionTurns(client, sessionId)) if (known.turnId === turnId) return true;
  return false;
}
