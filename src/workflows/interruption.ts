import { CancellationScope, sleep } from '@temporalio/workflow';

/**
 * Whether, and how, the turn has been told to end now. What happened is judged by this flag and never by the kind
 * of an activity's error: a dead worker's timeout looks alike.
 */
export class Interruption {
  /** Someone asked for it; no model call and no tool may start any more. */
  requested = false;
  /** It came as Temporal's cancel, so that the workflow is to end as Canceled. */
  asCanceled = false;
  readonly #happened: Promise<void>;

  constructor() {
    this.#happened = CancellationScope.current().cancelRequested.then(
      () => undefined,
      () => {
        this.requested = true;
        this.asCanceled = true;
      },
    );
  }

  /**
   * Waits for `work`, but after an interrupt no longer than `settleMs`: a tool that ignores its signal, or a dead
   * worker, must not hold the turn. Runs where cancellation does not reach. Returns whether `work` was done in time.
   */
  async settle(work: Promise<unknown>, settleMs: number): Promise<boolean> {
    return await CancellationScope.nonCancellable(async () => {
      const done = work.then(() => true);
      const late = this.#happened.then(() => sleep(settleMs)).then(() => false);
      return await Promise.race([done, late]);
    });
  }
}
