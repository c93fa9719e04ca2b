import type { SessionHandle } from '../../client/session-handle.js';
import type { TurnEvent } from '../../shared/events.js';

export type SessionListener = {
  /** Told the next event once this one is dealt with. */
  hear(event: TurnEvent): Promise<void>;
  /** The session has ended. */
  end(): void;
  /** The session can't be watched any more. */
  fault(error: unknown): void;
};

/** Tells what happens in a session, from its start or from after an offset on, until it is left. */
export class SessionWatch {
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;

  constructor(session: SessionHandle, after: string | undefined, listener: SessionListener) {
    const { signal } = this.#stop;
    this.#done = follow(session, after, signal, listener).catch((error: unknown) => {
      if (!signal.aborted) listener.fault(error);
    });
  }

  /** Resolves once nothing more is told. */
  async leave(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }
}

async function follow(
  session: SessionHandle,
  after: string | undefined,
  signal: AbortSignal,
  listener: SessionListener,
): Promise<void> {
  const options = { signal, ...(after !== undefined && { after }) };
  for await (const { event } of session.events(options)) {
    if (signal.aborted) return;
    await listener.hear(event);
  }
  if (!signal.aborted) listener.end();
}
