import {
  type Client,
  isGrpcServiceError,
  WorkflowFailedError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import {
  ApplicationFailure,
  CancelledFailure,
  type TemporalFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import type { TurnEvent } from '../shared/events.js';
import type { Message } from '../shared/messages.js';
import { type OutcomeType, STATE_QUERY, type TurnOutcome, type TurnState } from '../shared/turn.js';
import { TurnFailed, TurnNotFound } from './errors.js';
import { readHistory } from './read-history.js';
import { watchTurn } from './watch-turn.js';

/** An ended turn's outcome, with all the messages that it added. */
export type FinishedTurn = Omit<TurnOutcome, 'messages' | 'type'> & {
  type: OutcomeType;
  messages: Message[];
};

/** One turn, running or ended. All it knows is on the Temporal server. */
export class TurnHandle {
  readonly turnId: string;
  /** It had been started before. */
  readonly attached: boolean;
  readonly #client: Client;
  readonly #handle: WorkflowHandle<() => Promise<TurnOutcome>>;

  constructor(client: Client, handle: WorkflowHandle<() => Promise<TurnOutcome>>, attached: boolean) {
    this.turnId = handle.workflowId;
    this.attached = attached;
    this.#client = client;
    this.#handle = handle;
  }

  /** Waits for the end. Throws {@link TurnFailed} when there is no outcome, {@link TurnNotFound} when no turn. */
  async result(): Promise<FinishedTurn> {
    let outcome: TurnOutcome;
    try {
      outcome = await this.#handle.result();
    } catch (error) {
      throw turnError(this.turnId, error);
    }
    const messages = outcome.messages ?? (await this.#deltaMessages());
    return { ...outcome, type: outcome.type as OutcomeType, messages };
  }

  /**
   * What happens, as it happens, from the start or from after the event `seq` on, to the turn's end. Text comes in
   * pieces while the turn streams; the whole text comes with the `message` event.
   */
  async *events(options: { after?: number; signal?: AbortSignal } = {}): AsyncIterableIterator<TurnEvent> {
    try {
      yield* watchTurn(this.#client, this.turnId, options);
    } catch (error) {
      throw turnError(this.turnId, error);
    }
  }

  /** Where the turn is. Needs a worker on its task queue. */
  async state(): Promise<TurnState> {
    return await this.#asking(() => this.#handle.query<TurnState, []>(STATE_QUERY));
  }

  /** All messages up to now. Read from the event history, so that it needs no worker and works in an outage. */
  async transcript(): Promise<Message[]> {
    const { messages } = await this.#asking(() => readHistory(this.#client, this.turnId));
    return messages;
  }

  /** Temporal's own cancel: the turn settles its tool calls and ends as Canceled. */
  async cancel(): Promise<void> {
    await this.#asking(() => this.#handle.cancel());
  }

  async #deltaMessages(): Promise<Message[]> {
    const { messages, deltaFrom } = await readHistory(this.#client, this.turnId);
    return messages.slice(deltaFrom);
  }

  async #asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      throw turnError(this.turnId, error);
    }
  }
}

/** gRPC's code: what asks for the event history gives the error as it is. */
const NOT_FOUND = 5;

function turnError(turnId: string, error: unknown): unknown {
  if (error instanceof WorkflowNotFoundError || (isGrpcServiceError(error) && error.code === NOT_FOUND)) {
    return new TurnNotFound(`There is no turn ${turnId}. Look for it with: temporal workflow list`);
  }
  if (!(error instanceof WorkflowFailedError)) return error;
  const { cause } = error;
  const fail = (status: TurnFailed['status'], type: string, outcome?: TurnOutcome) =>
    new TurnFailed(status, type, textOfFailure(cause), outcome, cause);
  if (cause instanceof ApplicationFailure) {
    return fail('FAILED', cause.type ?? 'Turn.Failed', cause.details?.[0] as TurnOutcome | undefined);
  }
  if (cause instanceof CancelledFailure) return fail('CANCELED', 'Turn.Canceled');
  if (cause instanceof TerminatedFailure) return fail('TERMINATED', 'Turn.Terminated');
  return cause instanceof TimeoutFailure ? fail('TIMED_OUT', 'Turn.TimedOut') : fail('FAILED', 'Turn.Failed');
}

function textOfFailure(cause: Error | TemporalFailure | undefined): string {
  return cause?.message ?? 'The turn failed.';
}
