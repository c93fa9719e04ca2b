import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { COMPACT, INTERRUPT, STOP } from '../shared/interventions.js';
import type { JsonObject } from '../shared/json.js';
import { ANSWER, APPROVE, DENY } from '../shared/people.js';
import type { SessionLimitsChange } from '../shared/session-limits.js';
import {
  CLOSE,
  DESCRIBE,
  type DescribeRequest,
  describeProblems,
  SET_LIMITS,
  type SessionCompactReceipt,
  type SessionCompactRequest,
  type SetLimitsRequest,
  sessionCompactProblems,
  setLimitsProblems,
  WITHDRAW,
  type WithdrawReceipt,
  withdrawProblems,
} from '../shared/session-requests.js';
import { InvalidInput } from './errors.js';
import { SessionCalls } from './session-calls.js';
import type { ApproveOptions, DenyOptions, MessageOptions } from './turn-handle.js';

/** `agent`: by whose model; default: that of the last turn. */
export type CompactSessionOptions = Omit<SessionCompactRequest, 'v'>;

/** What is told to a session, or through it to its running turn, beside messages. */
export class SessionSignals {
  readonly sessionId: string;
  protected readonly calls: SessionCalls;
  readonly #client: Client;

  constructor(client: Client, sessionId: string) {
    this.sessionId = sessionId;
    this.#client = client;
    this.calls = new SessionCalls(client, sessionId);
  }

  /** Ends the running turn now; what waits is next. Nothing happens where none runs. */
  async interrupt(reason?: string, options: MessageOptions = {}): Promise<void> {
    await this.calls.signal(INTERRUPT, { ...(reason !== undefined && { reason }) }, options);
  }

  /** Ends the running turn after what runs. */
  async stop(reason?: string, options: MessageOptions = {}): Promise<void> {
    await this.calls.signal(STOP, { ...(reason !== undefined && { reason }) }, options);
  }

  /** As of a turn; `always` holds for the agent's later turns in this session, too. */
  async approve(callId: string, options: ApproveOptions = {}): Promise<void> {
    const { id: _id, by: _by, ...rest } = options;
    await this.calls.signal(APPROVE, { callId, ...rest }, options);
  }

  async deny(callId: string, options: DenyOptions = {}): Promise<void> {
    const { reason } = options;
    await this.calls.signal(DENY, { callId, ...(reason !== undefined && { reason }) }, options);
  }

  async answer(callId: string, answer: string, options: MessageOptions = {}): Promise<void> {
    await this.calls.signal(ANSWER, { callId, answer }, options);
  }

  /**
   * Takes a message back that waits, by the id that it was sent with; then its turn never begins. `started`: it was too late, interrupt
   * the turn instead. `unknown`: the session knows of no such message. A turn that it was to replace stays interrupted. Throws a
   * TypeError where other messages have become part of its turn. Needs a worker.
   */
  async withdraw(id: string): Promise<WithdrawReceipt> {
    const request = { v: 1, id };
    refuse('There is no such message to withdraw.', withdrawProblems(request));
    const receipt = await this.calls.update<WithdrawReceipt>(WITHDRAW, request);
    if (receipt.status !== 'refused') return receipt;
    throw new InvalidInput(`The message ${id} can't be withdrawn. ${receipt.problem}`);
  }

  async setTitle(title: string): Promise<void> {
    await this.#describe({ v: 1, title });
  }

  async setMetadata(metadata: JsonObject): Promise<void> {
    await this.#describe({ v: 1, metadata });
  }

  async #describe(request: DescribeRequest): Promise<void> {
    refuse('A session can not be described so.', describeProblems(request));
    await this.calls.tell(DESCRIBE, request);
  }

  /** No message is taken any more; the session ends after the turns that run and wait. */
  async close(): Promise<void> {
    await this.calls.tell(CLOSE, { v: 1 });
  }

  /**
   * Gives the next turn a summary of what was said, which keeps what `focus` says above all; all messages stay readable. The running
   * turn does it before its next model call, or the session right after that turn; where none runs it is done when this resolves.
   * `unchanged` tells in `problem` why nothing came of it. Throws a TypeError where there is nothing that could be compacted.
   */
  async compact(options: CompactSessionOptions = {}): Promise<SessionCompactReceipt> {
    const { id = randomUUID(), by = this.#client.options.identity, ...asked } = options;
    const request = { v: 1, id, by, ...asked };
    refuse('A session can not be compacted so.', sessionCompactProblems(request));
    const receipt = await this.calls.update<SessionCompactReceipt>(COMPACT, request);
    if (receipt.status !== 'refused') return receipt;
    throw new InvalidInput(`The session ${this.sessionId} can't be compacted. ${receipt.problem}`);
  }

  /** Each limit takes the place of what was there; `null`: there is none from now on. A turn that runs keeps to its share. */
  async setLimits(limits: SessionLimitsChange): Promise<void> {
    const request: SetLimitsRequest = { v: 1, limits };
    refuse('A session can not have such limits.', setLimitsProblems(request));
    await this.calls.tell(SET_LIMITS, request);
  }
}

/** Throws a TypeError for problems. */
export function refuse(what: string, problems: readonly string[]): void {
  if (problems.length > 0) throw new InvalidInput(`${what}\n${problems.join('\n')}`);
}
