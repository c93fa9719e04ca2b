import { setTimeout } from 'node:timers/promises';
import type { TurnEvent } from '../shared/events.js';

/** For the end of a sub-agent's turn, after its parent has heard of it. */
const LAST_EVENTS_MS = 5000;

type Watch = { ended: Promise<void>; stop: AbortController };

/** Follows the turns of a turn's sub-agents, each from its start to its end. */
export class SubAgentWatches {
  readonly #watch: (turnId: string, signal: AbortSignal) => AsyncIterable<TurnEvent>;
  readonly #tell: (callId: string, event: TurnEvent) => void;
  readonly #signal: AbortSignal;
  readonly #watches = new Map<string, Watch>();

  constructor(
    watch: (turnId: string, signal: AbortSignal) => AsyncIterable<TurnEvent>,
    tell: (callId: string, event: TurnEvent) => void,
    signal: AbortSignal,
  ) {
    this.#watch = watch;
    this.#tell = tell;
    this.#signal = signal;
  }

  /** To be called with each event before it is told: a sub-agent's events come between its call's start and its end. */
  async before(event: TurnEvent): Promise<void> {
    if (event.type !== 'tool_finished') return;
    const watch = this.#watches.get(event.callId);
    if (!watch) return;
    this.#watches.delete(event.callId);
    // One that was left behind is still running.
    const isLeft = event.result.cause === 'may_still_run';
    const signal = AbortSignal.any([this.#signal, watch.stop.signal]);
    const late = setTimeout(LAST_EVENTS_MS, undefined, { signal, ref: false }).catch(() => undefined);
    if (!isLeft) await Promise.race([watch.ended, late]);
    watch.stop.abort();
  }

  after(event: TurnEvent): void {
    if (event.type !== 'tool_started' || !event.subAgent) return;
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#signal, stop.signal]);
    this.#watches.set(event.callId, {
      stop,
      ended: this.#follow(event.callId, event.subAgent.turnId, signal),
    });
  }

  /** Never rejects: a turn can be watched without its sub-agents, whose history may be gone. */
  async #follow(callId: string, turnId: string, signal: AbortSignal): Promise<void> {
    try {
      for await (const event of this.#watch(turnId, signal)) this.#tell(callId, event);
    } catch {
      // What was told of it stays told.
    }
  }
}
