import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { SESSION_WORKFLOW, type SessionState } from '../shared/session.js';
import { STATE_QUERY } from '../shared/turn.js';
import { SessionClosed, SessionNotFound } from './errors.js';
import { isNotFound } from './not-found.js';
import type { MessageOptions } from './turn-handle.js';

/** A session reads what its turn has left; with a large history and a busy worker that takes its time. */
const CATCH_UP_MS = 5000;
const FIRST_LOOK_MS = 20;
const LAST_LOOK_MS = 500;

/**
 * Signals, updates and queries of one session; each throws a {@link SessionNotFound} where there is none, and a
 * {@link SessionClosed} where it takes nothing any more.
 */
export class SessionCalls {
  readonly #client: Client;
  readonly #handle: WorkflowHandle;

  constructor(client: Client, sessionId: string) {
    this.#client = client;
    this.#handle = client.workflow.getHandle(sessionId);
  }

  /** With an id, and with who sends it. */
  async signal(name: string, content: object, options: MessageOptions): Promise<void> {
    const { id = randomUUID(), by = this.#client.options.identity } = options;
    await this.tell(name, { v: 1, id, by, ...content });
  }

  async tell(name: string, request: object): Promise<void> {
    await this.#asking(() => this.#handle.signal(name, request));
  }

  async update<Answer>(name: string, request: object): Promise<Answer> {
    return await this.#asking(() => this.#handle.executeUpdate<Answer, [object]>(name, { args: [request] }));
  }

  async query<Answer>(name: string, ...args: unknown[]): Promise<Answer> {
    return await this.#asking(() => this.#handle.query<Answer, unknown[]>(name, ...args));
  }

  /** Where the session is. A turn that has ended by now is no running one: it is waited for what it leaves. */
  async state(): Promise<SessionState> {
    const until = Date.now() + CATCH_UP_MS;
    for (let look = FIRST_LOOK_MS; ; look = Math.min(2 * look, LAST_LOOK_MS)) {
      const state = await this.query<SessionState>(STATE_QUERY);
      const { running } = state;
      if (!running || Date.now() > until || !(await hasEnded(this.#client, running.turnId))) return state;
      await delay(look);
    }
  }

  async taskQueue(): Promise<string> {
    return (await this.#asking(() => this.#handle.describe())).taskQueue;
  }

  async #asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      throw await sessionError(this.#client, this.#handle.workflowId, error);
    }
  }
}

/** Whether a turn that was started runs no more; one that Temporal has forgotten has ended long ago. */
export async function hasEnded(client: Client, turnId: string): Promise<boolean> {
  try {
    return (await client.workflow.getHandle(turnId).describe()).status.name !== 'RUNNING';
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

/** What to throw for an error that Temporal's client gave of a session. */
export async function sessionError(client: Client, sessionId: string, error: unknown): Promise<unknown> {
  return isNotFound(error) ? await whyNot(client, sessionId) : error;
}

/** Why a session takes nothing. */
export async function whyNot(client: Client, sessionId: string): Promise<SessionNotFound | SessionClosed> {
  const described = await client.workflow
    .getHandle(sessionId)
    .describe()
    .catch(() => undefined);
  if (!described)
    return new SessionNotFound(`There is no session ${sessionId}. It begins with its first message.`);
  if (described.type === SESSION_WORKFLOW)
    return new SessionClosed(
      `The session ${sessionId} has ended. Go on with its messages in another one: holdfast session fork ${sessionId}`,
    );
  return new SessionNotFound(
    `${sessionId} is a workflow of the type ${described.type}, and no session. Give the session another id.`,
  );
}
