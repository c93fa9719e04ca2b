/** How a call may run beside the others of its reply. */
export type Place = { isAlone: boolean; key?: string | undefined };

type Step = Place & { state: 'undecided' | 'ready' | 'running' | 'over'; start: () => void };

/**
 * When the calls of one reply run where people are asked about some, or some have a key. A call that may run beside others
 * runs once it is decided, and does not wait for people who decide on others. One that runs alone keeps its place: it
 * waits for all before it, decided or not, and those after it wait for it, unless it waits for a person itself. Calls that
 * have the same key run in request order, whatever they wait for; those that have different ones may always run side by side.
 */
export class RunOrder {
  readonly #steps: Step[] = [];
  readonly #most: number;

  /** `most`: how many run side by side. */
  constructor(most: number) {
    this.#most = most;
  }

  /** To be called for each call, in request order, before any is ready. Returns its number. */
  add(place: Place): number {
    return this.#steps.push({ ...place, state: 'undecided', start: () => undefined }) - 1;
  }

  /** Runs the call when its time has come; a `place` takes that of before. `run` must not reject. */
  async run(number: number, run: () => Promise<void>, place?: Place): Promise<void> {
    const step = this.#steps[number];
    if (!step) throw new RangeError(`There is no call ${number}`);
    const started = new Promise<void>((resolve) => {
      step.start = resolve;
    });
    Object.assign(step, place, { state: 'ready' });
    this.#startAll();
    await started;
    await run();
    this.leave(number);
  }

  /** The call does not run, or has run. */
  leave(number: number): void {
    const step = this.#steps[number];
    if (step) step.state = 'over';
    this.#startAll();
  }

  #startAll(): void {
    const before: Step[] = [];
    /** They wait for a person, or for a call that does. */
    const held = new Set<Step>();
    for (const step of this.#steps) {
      if (step.state === 'over') continue;
      const first = before.filter((earlier) => waitsFor(step, earlier, held.has(earlier)));
      const isHeld = step.state === 'undecided' || first.some((earlier) => held.has(earlier));
      if (isHeld && step.state !== 'running') held.add(step);
      if (step.state === 'ready' && first.length === 0 && this.#hasRoomFor(step)) begin(step);
      before.push(step);
    }
  }

  /** A later one may have begun while it waited for a person. */
  #hasRoomFor(step: Step): boolean {
    const running = this.#steps.filter(({ state }) => state === 'running');
    return running.length < this.#most && running.every((other) => mayOverlap(step, other));
  }
}

function mayOverlap(one: Place, other: Place): boolean {
  if (one.key !== undefined && other.key !== undefined) return one.key !== other.key;
  return !one.isAlone && !other.isAlone;
}

/** Whether `earlier`, which is not over, must be over first. */
function waitsFor(step: Step, earlier: Step, isHeld: boolean): boolean {
  if (mayOverlap(step, earlier)) return false;
  return step.isAlone || (step.key !== undefined && step.key === earlier.key) || !isHeld;
}

function begin(step: Step): void {
  step.state = 'running';
  step.start();
}
