import { setTimeout as delay } from 'node:timers/promises';
import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import type { TurnEvent } from '../shared/events.js';
import { RECEIPT_QUERY } from '../shared/interventions.js';
import { type SendReceipt, startedBefore } from '../shared/session-requests.js';
import type { TurnOutcome } from '../shared/turn.js';
import { InvalidInput, SessionClosed, SessionLimitReached, TurnNotFound } from './errors.js';
import type { FinishedTurn } from './finished-turn.js';
import { sessionTurns } from './session-turns.js';
import { TurnHandle } from './turn-handle.js';

/** For a session without a worker, while somebody waits for what became of a message. */
const ASK_AGAIN_MS = 1000;
const ANSWER_MS = 5000;

/** The turn that a message to a session is part of: it may have to wait for others before it begins. */
export class SessionTurnHandle<Output = unknown> extends TurnHandle<Output> {
  readonly #client: Client;
  readonly #sessionId: string;
  readonly #messageId: string;
  #sent: SendReceipt | undefined;
  #isThere = false;

  /** Throws for a message that was refused. */
  constructor(client: Client, sessionId: string, messageId: string, sent: SendReceipt | undefined) {
    const turnId = sent?.turnId ?? `${sessionId}/${messageId}`;
    super(client, client.workflow.getHandle<() => Promise<TurnOutcome>>(turnId), sent?.duplicate ?? false);
    this.#client = client;
    this.#sessionId = sessionId;
    this.#messageId = messageId;
    this.#sent = sent && taken(sent);
  }

  /** What became of the message; undefined where the session has not answered yet. */
  get sent(): SendReceipt | undefined {
    return this.#sent;
  }

  /**
   * As {@link TurnHandle.result}, once the turn has begun. Of a message that the session had not answered when it was sent it
   * throws here what `send` does where it is refused.
   */
  override async result(): Promise<FinishedTurn<Output>> {
    await this.begun();
    return await super.result();
  }

  /** As {@link TurnHandle.events}, once the turn has begun. */
  override async *events(
    options: { after?: number; signal?: AbortSignal } = {},
  ): AsyncIterableIterator<TurnEvent> {
    await this.begun(options.signal);
    if (options.signal?.aborted) return;
    yield* super.events(options);
  }

  /** Until the turn runs, or the signal fires. From then on `turnId` is the one that the message is part of. */
  async begun(signal?: AbortSignal): Promise<void> {
    if (!this.#sent) await this.#answered(signal);
    this.#isThere ||= await this.#isStarted();
    if (this.#isThere || signal?.aborted) return;
    const stop = new AbortController();
    try {
      const until = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
      for await (const turn of sessionTurns(this.#client, this.#sessionId, until)) {
        if (turn.turnId !== this.turnId || turn.compaction) continue;
        if (turn.isWithdrawn) throw new TurnNotFound(`The message of the turn ${turn.turnId} was withdrawn.`);
        if (turn.isRefused) throw refused(startedBefore(this.turnId));
        this.#isThere = true;
        return;
      }
    } finally {
      stop.abort();
    }
    if (signal?.aborted) return;
    throw new TurnNotFound(`The session ${this.#sessionId} has ended without the turn ${this.turnId}.`);
  }

  /** By this session: another workflow may have its id. */
  async #isStarted(): Promise<boolean> {
    try {
      const { parentExecution } = await this.#client.workflow.getHandle(this.turnId).describe();
      return parentExecution?.workflowId === this.#sessionId;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return false;
      throw error;
    }
  }

  /** Until the session has said what it did with the message, or a turn of its own is there. */
  async #answered(signal: AbortSignal | undefined): Promise<void> {
    const handle = this.#client.workflow.getHandle(this.#sessionId);
    const ask = () => handle.query<SendReceipt | null, [string]>(RECEIPT_QUERY, this.#messageId);
    while (!signal?.aborted && !(await this.#isStarted())) {
      const receipt = await this.#client.withDeadline(Date.now() + ANSWER_MS, ask).catch(isNoAnswer);
      if (!receipt && !(await isRunning(handle))) return;
      if (receipt) {
        this.#sent = taken(receipt);
        if (receipt.turnId !== undefined) this.moveTo(receipt.turnId);
        return;
      }
      await delay(ASK_AGAIN_MS, undefined, { signal }).catch(() => {});
    }
  }
}

function refused(problem: string): InvalidInput {
  return new InvalidInput(`The message was refused. ${problem}`);
}

function taken(receipt: SendReceipt): SendReceipt {
  const { status, exceeded, closed, problem = '' } = receipt;
  if (closed) throw new SessionClosed(problem);
  if (exceeded) throw new SessionLimitReached(problem, exceeded);
  if (status === 'refused') throw refused(problem);
  return receipt;
}

/** No worker is there yet. A session that is not there will never answer. */
function isNoAnswer(error: unknown): undefined {
  if (error instanceof WorkflowNotFoundError) throw error;
}

async function isRunning(session: WorkflowHandle): Promise<boolean> {
  return (await session.describe()).status.name === 'RUNNING';
}
