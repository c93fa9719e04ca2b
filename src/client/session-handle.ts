import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { AgentType, OutputOf } from '../shared/agent-type.js';
import type { CutPlace } from '../shared/cut-transcript.js';
import { RECEIPT_QUERY } from '../shared/interventions.js';
import type { Message } from '../shared/messages.js';
import { askedBy, type PromptPart } from '../shared/prompt-parts.js';
import {
  SESSION_ID,
  type SessionInput,
  type SessionState,
  type SessionTurn,
  type SessionTurnsPage,
  sessionInputProblems,
  TURNS_QUERY,
} from '../shared/session.js';
import {
  type CutReceipt,
  PREFIX,
  ROLLBACK,
  type SendReceipt,
  sendProblems,
} from '../shared/session-requests.js';
import { MESSAGES_QUERY, type MessagesPage } from '../shared/turn.js';
import { InvalidInput } from './errors.js';
import { sessionError } from './session-calls.js';
import type { SessionEvent } from './session-events.js';
import type { SendOptions, SessionOptions } from './session-options.js';
import { sendToSession, startFork, steerSession } from './session-send.js';
import { refuse, SessionSignals } from './session-signals.js';
import { SessionTurnHandle } from './session-turn-handle.js';
import type { MessageOptions } from './turn-handle.js';

type Place = { client: Client; taskQueue: string };

/** A conversation. All that is known of it is on the Temporal server. */
export class SessionHandle extends SessionSignals {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #input: SessionInput;

  /** Throws a TypeError for an id or options that no session can have. */
  constructor({ client, taskQueue }: Place, sessionId: string, options: SessionOptions = {}) {
    const { taskQueue: own = taskQueue, ...rest } = options;
    const input: SessionInput = { v: 1, ...rest };
    const problems = sessionInputProblems(input);
    if (typeof sessionId !== 'string' || !SESSION_ID.test(sessionId)) {
      problems.push(
        `sessionId ${JSON.stringify(sessionId)}: use letters, digits and . _ : / -, 100 at most.`,
      );
    }
    if (problems.length > 0) throw new InvalidInput(`There can't be such a session.\n${problems.join('\n')}`);
    super(client, sessionId);
    this.#client = client;
    this.#taskQueue = own;
    this.#input = input;
  }

  /**
   * Sends a message, and starts the session where there is none of this id. Returns the turn that it is part of, at once; what
   * happens while another turn runs says `whileBusy`. With an `id` it counts once, however often it is sent. Throws
   * a TypeError for what no turn can be asked, and where too much waits; {@link SessionClosed} once the session has ended.
   */
  async send<Typed extends AgentType = AgentType>(
    agent: string,
    prompt: string | readonly PromptPart[],
    options: SendOptions = {},
  ): Promise<SessionTurnHandle<OutputOf<Typed>>> {
    const { id = randomUUID(), by = this.#client.options.identity, ...rest } = options;
    const request = { v: 1 as const, id, agent, ...askedBy(prompt), by, ...rest };
    refuse('This message can not be sent.', sendProblems(request));
    const receipt = await sendToSession(this.#place, request);
    return this.#turnOf(id, receipt);
  }

  /** A message for the running turn, which joins it before its next model call; where none runs it is a turn of the last agent. */
  async steer(message: string, options: MessageOptions = {}): Promise<SessionTurnHandle> {
    const { id = randomUUID(), by = this.#client.options.identity } = options;
    refuse('This message can not be sent.', sendProblems({ v: 1, id, by, agent: 'any', prompt: message }));
    const receipt = await steerSession(this.#place, { v: 1, id, by, message });
    return this.#turnOf(id, receipt);
  }

  #turnOf<Output>(id: string, receipt: SendReceipt | undefined): SessionTurnHandle<Output> {
    return new SessionTurnHandle<Output>(this.#client, this.sessionId, id, receipt);
  }

  get #place() {
    return {
      client: this.#client,
      sessionId: this.sessionId,
      taskQueue: this.#taskQueue,
      input: this.#input,
    };
  }

  /** What became of a message that was sent with this id; undefined where it never came. Needs a worker. */
  async receipt(id: string): Promise<SendReceipt | undefined> {
    return (await this.calls.query<SendReceipt | null>(RECEIPT_QUERY, id)) ?? undefined;
  }

  /**
   * Where the session is. What a turn has left that has ended by now is part of it, as it is of {@link turns},
   * {@link transcript}, {@link fork} and {@link rollback}. Needs a worker on its task queue.
   */
  async state(): Promise<SessionState> {
    return await this.calls.state();
  }

  /** The turns that have ended, as far back as the session remembers: about five hundred at least. Needs a worker. */
  async turns(): Promise<SessionTurn[]> {
    await this.calls.state();
    const turns: SessionTurn[] = [];
    for (let from = 0; ; ) {
      const page: SessionTurnsPage = await this.calls.query(TURNS_QUERY, { v: 1, from });
      turns.push(...page.turns);
      from = page.from + page.turns.length;
      if (page.turns.length === 0 || from >= page.total) return turns;
    }
  }

  /** All messages of the turns that have ended; `given`: as the next turn is given them. Needs a worker. */
  async transcript({ given = false }: { given?: boolean } = {}): Promise<Message[]> {
    const { packedMessages } = await import('./session-transcript.js');
    await this.calls.state();
    const request = { v: 1, from: 0, ...(given && { given }) };
    const { base } = await this.calls.query<MessagesPage>(MESSAGES_QUERY, request);
    const messages: Message[] = [];
    if (!base) return messages;
    const taskQueue = await this.calls.taskQueue();
    for await (const message of packedMessages(this.#client, taskQueue, base)) messages.push(message);
    return messages;
  }

  /**
   * What happens, turn by turn, from the session's first turn or from after an `offset` on, to its end. Each event bears the offset
   * to come back with.
   */
  async *events(options: { after?: string; signal?: AbortSignal } = {}): AsyncIterableIterator<SessionEvent> {
    const { sessionEvents } = await import('./session-events.js');
    try {
      yield* sessionEvents(this.#client, this.sessionId, options);
    } catch (error) {
      throw await sessionError(this.#client, this.sessionId, error);
    }
  }

  /**
   * Takes the session back to a message, which is the last one that is kept, or the first that is not; `'nothing'` clears it.
   * A message's tool results go and stay with it. Returns how many messages are left. Throws a TypeError while a turn runs or
   * waits, and where there is no such message.
   */
  async rollback(keep: CutPlace): Promise<number> {
    const { messageCount } = await this.#cut(ROLLBACK, keep);
    return messageCount;
  }

  /** Forgets all messages. */
  async clear(): Promise<void> {
    await this.rollback('nothing');
  }

  /**
   * A new session that begins with this one's messages, up to a place as for {@link rollback}; default: all of them. The turn that
   * runs is not part of it. This one stays as it is. The fork has the same limits, unless others are given, and has used nothing of them.
   */
  async fork(
    keep: CutPlace = 'all',
    options: SessionOptions & { sessionId?: string } = {},
  ): Promise<SessionHandle> {
    const { sessionId = randomUUID(), ...rest } = options;
    const { limits, keepsTranscript } = await this.calls.state();
    const messages = await this.#cut(PREFIX, keep);
    const taskQueue = rest.taskQueue ?? (await this.calls.taskQueue());
    const own = { ...(limits && { limits }), ...(!keepsTranscript && { keepTranscript: false }), ...rest };
    const fork = new SessionHandle({ client: this.#client, taskQueue }, sessionId, own);
    const from = { sessionId: this.sessionId, keep, messages };
    await startFork(fork.#place, from);
    return fork;
  }

  async #cut(kind: typeof ROLLBACK | typeof PREFIX, keep: CutPlace): Promise<CutReceipt> {
    if (kind === ROLLBACK) await this.calls.state();
    const receipt = await this.calls.update<CutReceipt>(kind, { v: 1, keep });
    if (receipt.status === 'done') return receipt;
    throw new InvalidInput(
      receipt.status === 'busy'
        ? `The session ${this.sessionId} has a turn that runs or waits: interrupt it first, or wait for it.`
        : `The session ${this.sessionId} can't be cut there. ${receipt.problem}`,
    );
  }
}
