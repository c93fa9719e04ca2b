import { randomUUID } from 'node:crypto';
import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import type { NamedArtifact } from '../shared/artifact-names.js';
import type { TurnEvent } from '../shared/events.js';
import type { TurnFold } from '../shared/fold.js';
import {
  COMPACT,
  INTERRUPT,
  type InterventionKind,
  MAX_STEER_BYTES,
  RECEIPT_QUERY,
  type Receipt,
  STEER,
  STOP,
} from '../shared/interventions.js';
import { type JsonObject, jsonBytes } from '../shared/json.js';
import type { Message } from '../shared/messages.js';
import { ANSWER, APPROVE, DENY, type DecisionKind, readDecision } from '../shared/people.js';
import { STATE_QUERY, type TurnOutcome, type TurnState } from '../shared/turn.js';
import { InvalidInput } from './errors.js';
import { type FinishedTurn, wholeFailure, wholeOutcome } from './finished-turn.js';
import { turnError } from './turn-error.js';
import type { OpenRequest } from './waiting.js';

export type MessageOptions = {
  /** Sent twice under one id, it counts once. Default: a new one. */
  id?: string;
  /** Who asks, for the record. Default: this client's identity. */
  by?: string;
};

export type ApproveOptions = MessageOptions & {
  reason?: string;
  /** In place of what the model wrote: the call runs with these, checked with the tool's schema and deny rules. */
  arguments?: JsonObject;
  /** The same is allowed for the rest of the turn: the rules that the request lists as `always`. */
  always?: boolean;
};
export type DenyOptions = MessageOptions & {
  /** The model reads it. */
  reason?: string;
};

/** `focus`: what the summary is to keep above all, 2,000 bytes of it. */
export type CompactOptions = MessageOptions & { focus?: string };

/** `too_late`: the turn had ended. What came of one that was sent, `receipt(id)` tells. */
export type SentMessage = { id: string; status: 'sent' | 'too_late' };

// What reads histories is loaded when it is needed: a program that starts a turn is to be quick.

/** One turn, running or ended. All it knows is on the Temporal server. */
export class TurnHandle<Output = unknown> {
  /** It had been started before. */
  readonly attached: boolean;
  readonly #client: Client;
  #handle: WorkflowHandle<() => Promise<TurnOutcome>>;

  constructor(client: Client, handle: WorkflowHandle<() => Promise<TurnOutcome>>, attached: boolean) {
    this.attached = attached;
    this.#client = client;
    this.#handle = handle;
  }

  get turnId(): string {
    return this.#handle.workflowId;
  }

  /** It is of another turn than was thought. */
  protected moveTo(turnId: string): void {
    this.#handle = this.#client.workflow.getHandle<() => Promise<TurnOutcome>>(turnId);
  }

  /** Waits for the end. Throws {@link TurnFailed} when there is no outcome, {@link TurnNotFound} when no turn. */
  async result(): Promise<FinishedTurn<Output>> {
    let outcome: TurnOutcome;
    try {
      outcome = await this.#handle.result();
    } catch (error) {
      throw await wholeFailure(turnError(this.turnId, error), () => this.#rebuilt());
    }
    return (await wholeOutcome(outcome, () => this.#rebuilt())) as FinishedTurn<Output>;
  }

  /**
   * What happens, as it happens, from the start or from after the event `seq` on, to the turn's end. Text comes in
   * pieces while the turn streams; the whole text comes with the `message` event.
   */
  async *events(options: { after?: number; signal?: AbortSignal } = {}): AsyncIterableIterator<TurnEvent> {
    try {
      const { watchTurn } = await import('./watch-turn.js');
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
    const { messages } = await this.#asking(() => this.#rebuilt());
    return messages;
  }

  /** What its tools have given out by name, in the order in which it came. Read from the event history. */
  async artifacts(): Promise<NamedArtifact[]> {
    const { artifacts } = await this.#asking(() => this.#rebuilt());
    return artifacts.list();
  }

  /**
   * Ends the turn now: what runs is canceled, each tool call gets its result, the outcome is `interrupted`. Resolves
   * when Temporal has recorded the wish; after the turn's end nothing happens.
   */
  async interrupt(reason?: string, options: MessageOptions = {}): Promise<SentMessage> {
    return await this.#send(INTERRUPT, { ...(reason !== undefined && { reason }) }, options);
  }

  /** Ends the turn after what runs: no tool and no model call starts any more. */
  async stop(reason?: string, options: MessageOptions = {}): Promise<SentMessage> {
    return await this.#send(STOP, { ...(reason !== undefined && { reason }) }, options);
  }

  /** A message that joins the running turn before its next model call. One that is too late is in `outcome.undelivered`. */
  async steer(message: string, options: MessageOptions = {}): Promise<SentMessage> {
    if (message.trim() === '') throw new InvalidInput('An empty message can not be sent.');
    const bytes = jsonBytes(message);
    if (bytes > MAX_STEER_BYTES) {
      throw new InvalidInput(
        `The message takes ${bytes} bytes; it may take ${MAX_STEER_BYTES}. Put long texts into a file that a tool reads.`,
      );
    }
    return await this.#send(STEER, { message }, options);
  }

  /**
   * The transcript is made smaller before the next model call; its older part becomes a summary, which keeps what `focus`
   * says above all. Whether it got smaller, `receipt(id)` tells.
   */
  async compact(options: CompactOptions = {}): Promise<SentMessage> {
    const { focus } = options;
    return await this.#send(COMPACT, { ...(focus !== undefined && { focus }) }, options);
  }

  /** A sub-agent's turn, by the `turnId` that events and requests tell of it. */
  subAgent(turnId: string): TurnHandle {
    return new TurnHandle(this.#client, this.#client.workflow.getHandle(turnId), true);
  }

  /**
   * What people are asked now, by the turn and by the sub-agents that it runs, with all arguments: `turnId` of each says
   * which of them waits. Read from the event history, so that it needs no worker.
   */
  async requests(): Promise<OpenRequest[]> {
    const { openRequests } = await import('./waiting.js');
    return await this.#asking(() => openRequests(this.#client, this.turnId));
  }

  /**
   * Lets a call run that waits for an approval: exactly as it was asked, once. The first decision of a call counts;
   * whether this was it, `receipt(id)` tells.
   */
  async approve(callId: string, options: ApproveOptions = {}): Promise<SentMessage> {
    const { reason, arguments: changed, always } = options;
    const content = {
      callId,
      ...(reason !== undefined && { reason }),
      ...(changed && { arguments: changed }),
      ...(always !== undefined && { always }),
    };
    return await this.#decide(APPROVE, content, options);
  }

  /** The call is not run; the model reads the reason, and goes on. */
  async deny(callId: string, options: DenyOptions = {}): Promise<SentMessage> {
    const { reason } = options;
    return await this.#decide(DENY, { callId, ...(reason !== undefined && { reason }) }, options);
  }

  /** The answer to a question of the model, which `ask_user` has asked. */
  async answer(callId: string, answer: string, options: MessageOptions = {}): Promise<SentMessage> {
    return await this.#decide(ANSWER, { callId, answer }, options);
  }

  async #decide(kind: DecisionKind, content: JsonObject, options: MessageOptions): Promise<SentMessage> {
    const read = readDecision(kind, content, '');
    if ('problem' in read) throw new TypeError(`It can not be sent: ${read.problem}.`);
    return await this.#send(kind, content, options);
  }

  /** What became of a message that was sent with this id; undefined where it never came. Needs a worker. */
  async receipt(id: string): Promise<Receipt | undefined> {
    const receipt = await this.#asking(() => this.#handle.query<Receipt | null, [string]>(RECEIPT_QUERY, id));
    return receipt ?? undefined;
  }

  /** Temporal's own cancel: the turn settles its tool calls and ends as Canceled. */
  async cancel(): Promise<void> {
    await this.#asking(() => this.#handle.cancel());
  }

  /** By signal, which is never refused for want of room; a turn that has ended is no error. */
  async #send(
    kind: InterventionKind | DecisionKind,
    content: object,
    options: MessageOptions,
  ): Promise<SentMessage> {
    const id = options.id ?? randomUUID();
    const by = options.by ?? this.#client.options.identity;
    try {
      await this.#handle.signal(kind, { v: 1, id, by, ...content });
      return { id, status: 'sent' };
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
      await this.#asking(() => this.#handle.describe());
      return { id, status: 'too_late' };
    }
  }

  async #rebuilt(): Promise<TurnFold> {
    const { readHistory } = await import('./read-history.js');
    return await readHistory(this.#client, this.turnId);
  }

  async #asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      throw turnError(this.turnId, error);
    }
  }
}
