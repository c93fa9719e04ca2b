import { CancellationScope, sleep } from '@temporalio/workflow';

/** How work ended; neither field where it was left behind. */
export type Settled<Result> = { value?: Result; fault?: unknown };

/** What a turn waits for now, and for how long once the turn is to end. */
export class WaitedWork {
  #now: { settleMs: number; overdue: () => void } | undefined;

  /**
   * Waits for `work`; after {@link hurry} no longer than `settleMs`: a tool that ignores its signal, or a dead worker, must
   * not hold the turn. Never rejects. (One promise: in the sandbox each costs as much as a small step.)
   */
  waitFor<Result>(work: Promise<Result>, settleMs: number): Promise<Settled<Result>> {
    return new Promise((resolve) => {
      const end = (settled: Settled<Result>) => {
        this.#now = undefined;
        resolve(settled);
      };
      this.#now = { settleMs, overdue: () => end({}) };
      work.then(
        (value) => end({ value }),
        (fault: unknown) => end({ fault }),
      );
    });
  }

  /** What is waited for has `settleMs` left from now on. */
  hurry(): void {
    if (!this.#now) return;
    const { settleMs, overdue } = this.#now;
    const limit = () => sleep(settleMs, { summary: 'the time that what runs has to stop' });
    CancellationScope.nonCancellable(limit).then(overdue, overdue);
  }
}
