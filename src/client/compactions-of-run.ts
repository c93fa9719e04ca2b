import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { COMPACT_SESSION, type CompactedSession } from '../shared/session-activities.js';
import { decodePayloads } from './payloads.js';
import { isoTime } from './recorded-steps.js';
import type { CompactedAfter, StartedTurn } from './session-turns.js';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** What the event history of one run of a session tells of its compactions between turns: those that have an end. */
export class CompactionsOfRun {
  readonly #client: Client;
  readonly #scheduled = new Set<string>();
  /** The last turn, and how many there were after it. */
  #last = { turnId: '', number: 0 };

  constructor(client: Client) {
    this.#client = client;
  }

  after(turn: StartedTurn | CompactedAfter): void {
    const { turnId } = turn;
    if (turn.compaction) this.#last = { turnId, number: turn.number };
    else if (!turn.isWithdrawn) this.#last = { turnId, number: 0 };
  }

  async *in(event: HistoryEvent): AsyncGenerator<CompactedAfter, void, undefined> {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name === COMPACT_SESSION) this.#scheduled.add(String(event.eventId));
    // The session has not waited for it.
    const canceled = event.activityTaskCancelRequestedEventAttributes;
    if (canceled) this.#scheduled.delete(String(canceled.scheduledEventId));
    const completed = event.activityTaskCompletedEventAttributes;
    if (!completed || !this.#scheduled.has(String(completed.scheduledEventId))) return;
    const converter = this.#client.options.loadedDataConverter;
    const [made] = await decodePayloads(converter, completed.result?.payloads);
    this.#last.number += 1;
    const { record } = made as CompactedSession;
    yield { ...this.#last, compaction: { ...record, at: isoTime(event.eventTime) } };
  }
}
