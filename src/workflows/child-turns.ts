import { defineSignal, setHandler } from '@temporalio/workflow';
import { readTurnEnded, TURN_ENDED, type TurnEnded } from '../shared/sub-agents.js';

const turnEndedSignal = defineSignal<[TurnEnded]>(TURN_ENDED);

/** Hears the last words of the turns that this one has started. Each counts once, and a late one not at all. */
export class ChildTurns {
  readonly #expected = new Map<string, (ended: TurnEnded) => void>();
  /** Of the last reply's calls, by call id. */
  readonly #turnIds = new Map<string, string>();

  /** Listens from now on. */
  constructor() {
    setHandler(turnEndedSignal, (raw: unknown) => {
      const ended = readTurnEnded(raw);
      if (ended) this.#expected.get(ended.turnId)?.(ended);
    });
  }

  /** A round of tool calls begins. */
  clear(): void {
    this.#turnIds.clear();
  }

  begin(callId: string, turnId: string): void {
    this.#turnIds.set(callId, turnId);
  }

  /** The turn that a call is, where it is one. */
  of(callId: string): { subAgent?: { turnId: string } } {
    const turnId = this.#turnIds.get(callId);
    return turnId === undefined ? {} : { subAgent: { turnId } };
  }

  /** To be called before the turn is started: its word may come together with the news of its start. */
  expect(turnId: string): Promise<TurnEnded> {
    return new Promise((resolve) => {
      this.#expected.set(turnId, resolve);
    });
  }

  forget(turnId: string): void {
    this.#expected.delete(turnId);
  }
}
