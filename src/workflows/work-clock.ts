import { CancellationScope, patched, sleep } from '@temporalio/workflow';

/**
 * How long a turn has worked, by the workflow's clock. It stands still while it is held and nothing works beside that. Of a
 * turn with a limit it keeps one durable timer; one without has none.
 */
export class WorkClock {
  #workedMs: number;
  #since: number | undefined = Date.now();
  #holds = 0;
  #works = 0;
  #limitMs: number | undefined;
  #onOver: () => void = () => undefined;
  #timer: CancellationScope | undefined;

  /** `workedMs`: in earlier runs. */
  constructor(workedMs = 0) {
    this.#workedMs = workedMs;
  }

  get workedMs(): number {
    return this.#workedMs + (this.#since === undefined ? 0 : Date.now() - this.#since);
  }

  /** Tells, once, when so much is worked. The last limit counts. */
  limitTo(limitMs: number | undefined, onOver: () => void): void {
    if (limitMs === this.#limitMs) return;
    this.#limitMs = limitMs;
    this.#onOver = onOver;
    this.#timer?.cancel();
    this.#start();
  }

  hold(): void {
    this.#holds += 1;
    this.#update();
  }

  release(): void {
    this.#holds -= 1;
    this.#update();
  }

  /** Something works, until `rest`. */
  work(): void {
    this.#works += 1;
    this.#update();
  }

  rest(): void {
    this.#works -= 1;
    this.#update();
  }

  get #isHeld(): boolean {
    if (this.#holds === 0) return false;
    // Turns that were begun before have stood still beside work, too.
    return this.#works === 0 || this.#limitMs === undefined || !patched('time-passes-beside-holds');
  }

  #update(): void {
    if (this.#isHeld === (this.#since === undefined)) return;
    if (this.#isHeld) {
      this.#workedMs = this.workedMs;
      this.#since = undefined;
      this.#timer?.cancel();
    } else {
      this.#since = Date.now();
      this.#start();
    }
  }

  /** Until each has resolved; they must not reject. */
  holdDuring(waits: readonly Promise<unknown>[]): void {
    for (const wait of waits) {
      this.hold();
      void wait.then(() => this.release());
    }
  }

  #start(): void {
    if (this.#limitMs === undefined || this.#isHeld) return;
    const left = Math.max(1, this.#limitMs - this.workedMs);
    const scope = new CancellationScope();
    this.#timer = scope;
    scope
      .run(() => sleep(left, { summary: 'the time limit of the turn' }))
      .then(
        () => this.#timer === scope && this.#onOver(),
        () => undefined,
      );
  }
}
