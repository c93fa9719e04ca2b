/** Which turns have started: the faults wait for them, so that they spread over a run of any speed. */
export class Starts {
  #count = 0;
  #closed = false;
  #waiting: { turn: number; go: () => void }[] = [];

  /** One more turn has started. */
  readonly tell = (): void => {
    this.#count += 1;
    this.#release();
  };

  /** All have ended. */
  readonly isOver = (): boolean => this.#closed;

  /** No turn starts any more. */
  readonly close = (): void => {
    this.#closed = true;
    this.#release();
  };

  /** Resolves once more than `turn` turns have started, or none will. */
  readonly wait = async (turn: number): Promise<void> => {
    await new Promise<void>((resolve) => {
      this.#waiting.push({ turn, go: resolve });
      this.#release();
    });
  };

  #release(): void {
    const ready = this.#waiting.filter(({ turn }) => this.#closed || this.#count > turn);
    this.#waiting = this.#waiting.filter((each) => !ready.includes(each));
    for (const { go } of ready) go();
  }
}
