import { randomUUID } from 'node:crypto';
import {
  type Client,
  isGrpcServiceError,
  type WorkflowHandle,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { SessionNotFound } from './errors.js';
import type { MessageOptions } from './turn-handle.js';

/** gRPC's code. */
const NOT_FOUND = 5;

/** Signals, updates and queries of one session; each throws a {@link SessionNotFound} where there is none. */
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

  async taskQueue(): Promise<string> {
    return (await this.#asking(() => this.#handle.describe())).taskQueue;
  }

  async #asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      throw sessionError(this.#handle.workflowId, error);
    }
  }
}

/** What to throw for an error that Temporal's client gave of a session. */
export function sessionError(sessionId: string, error: unknown): unknown {
  const isUnknown = error instanceof WorkflowNotFoundError;
  if (!isUnknown && !(isGrpcServiceError(error) && error.code === NOT_FOUND)) return error;
  return new SessionNotFound(`There is no session ${sessionId} that runs. It begins with its first message.`);
}
