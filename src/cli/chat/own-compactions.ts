import type { SessionCompactReceipt } from '../../shared/session-requests.js';

/** Tells a chat's own compactions between turns, which it has told of itself, from those that others ask for. */
export class OwnCompactions {
  isRunning = false;
  /** Events that are still to come. */
  #awaited = 0;

  async run(compact: () => Promise<SessionCompactReceipt>): Promise<SessionCompactReceipt> {
    this.isRunning = true;
    this.#awaited += 1;
    let hasEvent = false;
    try {
      const receipt = await compact();
      hasEvent = receipt.record !== undefined;
      return receipt;
    } finally {
      this.isRunning = false;
      if (!hasEvent) this.#awaited = Math.max(0, this.#awaited - 1);
    }
  }

  /** Whether the event of a compaction between turns is of an own one: each has one, which comes before or after its receipt. */
  take(): boolean {
    if (this.#awaited === 0) return false;
    this.#awaited -= 1;
    return true;
  }
}
