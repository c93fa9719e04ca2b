type Step = { state: 'undecided' | 'ready' | 'running' | 'over'; isAlone: boolean; start: () => void };

/**
 * When the calls of one reply run where people are asked about some. A call that may run beside others runs once it is
 * decided, and does not wait for people who decide on others. One that runs alone keeps its place: it waits for all
 * before it, decided or not, and those after it wait for it, unless it waits for a person itself.
 */
export class RunOrder {
  readonly #steps: Step[] = [];
  readonly #most: number;

  /** `most`: how many run side by side. */
  constructor(most: number) {
    this.#most = most;
  }

  /** To be called for each call, in request order, before any is ready. Returns its place. */
  add(isAlone: boolean): number {
    return this.#steps.push({ state: 'undecided', isAlone, start: () => undefined }) - 1;
  }

  /** Runs the call when its time has come. `run` must not reject. */
  async run(place: number, run: () => Promise<void>): Promise<void> {
    const step = this.#steps[place];
    if (!step) throw new RangeError(`There is no call ${place}`);
    const started = new Promise<void>((resolve) => {
      step.start = resolve;
    });
    step.state = 'ready';
    this.#startAll();
    await started;
    await run();
    this.leave(place);
  }

  /** The call does not run, or has run. */
  leave(place: number): void {
    const step = this.#steps[place];
    if (step) step.state = 'over';
    this.#startAll();
  }

  #startAll(): void {
    let isHeldByPerson = false;
    for (const step of this.#steps) {
      const running = this.#steps.filter(({ state }) => state === 'running');
      const isOneAlone = running.some(({ isAlone }) => isAlone);
      if (step.state === 'undecided') isHeldByPerson = true;
      else if (step.state === 'ready' && !step.isAlone) {
        if (!isOneAlone && running.length < this.#most) begin(step);
      } else if (step.state === 'ready' && !isHeldByPerson) {
        if (running.length === 0) begin(step);
        return;
      }
    }
  }
}

function begin(step: Step): void {
  step.state = 'running';
  step.start();
}
