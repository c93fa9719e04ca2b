import { setTimeout } from 'node:timers/promises';
import type { TurnEvent } from '../shared/events.js';

/** For the end of a sub-agent's turn, after its parent has heard of it. */
const LAST_EVENTS_MS = 5000;
/** A turn that is scheduled is not there at once. */
const AGAIN_MS = 100;

/** `isOver`: its parent has heard of its end. */
type Watch = { ended: Promise<void>; stop: AbortController; isOver: boolean };
type WatchTurn = (
  turnId: string,
  options: { after: number; signal: AbortSignal },
) => AsyncIterable<TurnEvent>;

/** Follows the turns of a turn's sub-agents, each from its start to its end. */
export class SubAgentWatches {
  readonly #watch: WatchTurn;
  readonly #tell: (callId: string, event: TurnEvent) => void;
  readonly #signal: AbortSignal;
  readonly #watches = new Map<string, Watch>();

  constructor(watch: WatchTurn, tell: (callId: string, event: TurnEvent) => void, signal: AbortSignal) {
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
    watch.isOver = true;
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
    const watch: Watch = { stop, ended: Promise.resolve(), isOver: false };
    watch.ended = this.#follow(event.callId, event.subAgent.turnId, watch, signal);
    this.#watches.set(event.callId, watch);
  }

  /** Never rejects: a turn can be watched without its sub-agents, whose history may be gone. */
  async #follow(callId: string, turnId: string, watch: Watch, signal: AbortSignal): Promise<void> {
    for (let after = 0; ; ) {
      try {
        for await (const event of this.#watch(turnId, { after, signal })) {
          after = event.seq;
          this.#tell(callId, event);
        }
        return;
      } catch {
        // What was told of it stays told; a turn that has ended, or was never started, may be gone.
        if (watch.isOver || signal.aborted) return;
        await setTimeout(AGAIN_MS, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }
}
