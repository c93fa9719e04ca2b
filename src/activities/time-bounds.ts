/** What the promise gives, or undefined where it takes longer than `ms`. No timer is left behind. */
export async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<undefined>((resolve) => {
    timer = globalThis.setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, overdue]);
  } finally {
    clearTimeout(timer);
  }
}

/** `isLate`: it ended after its time. `overdue`: it has not, though it was told. `deaf`: nor when it was asked to stop. */
export type Bounded<Value> = { value: Value; isLate: boolean } | 'overdue' | 'deaf';

type Bounds = {
  /** Milliseconds from now on, after which `onLate` is called. */
  ms: number;
  onLate(): void;
  /** Milliseconds that are left then. */
  lateMs: number;
  /** Asks `work` to stop. */
  signal: AbortSignal;
  /** Milliseconds from when it fires. */
  graceMs: number;
  /** Asked after those: whether `work` is waited for all the same. */
  waitsOn(): boolean;
};

/** How `work` ends within its bounds; rejects as it does. Neither timer nor listener is left behind. */
export function bounded<Value>(work: Promise<Value>, bounds: Bounds): Promise<Bounded<Value>> {
  const { ms, onLate, lateMs, signal, graceMs, waitsOn } = bounds;
  return new Promise((resolve, reject) => {
    let isLate = false;
    let grace: NodeJS.Timeout | undefined;
    const end = (settle: () => void) => {
      clearTimeout(timer);
      clearTimeout(grace);
      signal.removeEventListener('abort', onAsked);
      settle();
    };
    const onAsked = () => {
      grace = setTimeout(() => waitsOn() || end(() => resolve('deaf')), graceMs);
    };
    let timer = setTimeout(() => {
      isLate = true;
      timer = setTimeout(() => end(() => resolve('overdue')), lateMs);
      onLate();
    }, ms);
    if (signal.aborted) onAsked();
    else signal.addEventListener('abort', onAsked, { once: true });
    work.then(
      (value) => end(() => resolve({ value, isLate })),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
