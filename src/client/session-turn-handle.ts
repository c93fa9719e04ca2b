import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import type { TurnEvent } from '../shared/events.js';
import type { SendReceipt } from '../shared/session-requests.js';
import type { TurnOutcome } from '../shared/turn.js';
import { TurnNotFound } from './errors.js';
import { sessionTurns } from './session-turns.js';
import { type FinishedTurn, TurnHandle } from './turn-handle.js';

/** The turn that a message to a session is part of: it may have to wait for others before it begins. */
export class SessionTurnHandle<Output = unknown> extends TurnHandle<Output> {
  readonly #client: Client;
  readonly #sessionId: string;
  /** What became of the message; undefined where the session has not answered in time. */
  readonly sent: SendReceipt | undefined;
  #isThere = false;

  constructor(
    client: Client,
    sessionId: string,
    handle: WorkflowHandle<() => Promise<TurnOutcome>>,
    sent: SendReceipt | undefined,
  ) {
    super(client, handle, sent?.duplicate ?? false);
    this.#client = client;
    this.#sessionId = sessionId;
    this.sent = sent;
  }

  /** As {@link TurnHandle.result}, once the turn has begun. */
  override async result(): Promise<FinishedTurn<Output>> {
    await this.#begun();
    return await super.result();
  }

  /** As {@link TurnHandle.events}, once the turn has begun. */
  override async *events(
    options: { after?: number; signal?: AbortSignal } = {},
  ): AsyncIterableIterator<TurnEvent> {
    await this.#begun(options.signal);
    if (options.signal?.aborted) return;
    yield* super.events(options);
  }

  async #begun(signal?: AbortSignal): Promise<void> {
    this.#isThere ||= await isThere(this.#client, this.turnId);
    if (this.#isThere) return;
    const stop = new AbortController();
    try {
      const until = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      for await (const turn of sessionTurns(this.#client, this.#sessionId, until)) {
        if (turn.turnId !== this.turnId || turn.compaction) continue;
        if (turn.isWithdrawn) throw new TurnNotFound(`The message of the turn ${turn.turnId} was withdrawn.`);
        this.#isThere = true;
        return;
      }
    } finally {
      stop.abort();
    }
    if (signal?.aborted) return;
    throw new TurnNotFound(`The session ${this.#sessionId} has ended without the turn ${this.turnId}.`);
  }
}

async function isThere(client: Client, turnId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(turnId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
