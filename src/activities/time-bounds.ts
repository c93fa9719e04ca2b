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

/** `deaf`: it was asked to stop, and has not. */
export type Bounded<Value> = { value: Value } | 'overdue' | 'deaf';

type Bounds = {
  /** Milliseconds from now on. */
  ms: number;
  /** Asks `work` to stop. */
  signal: AbortSignal;
  /** Milliseconds from then on. */
  graceMs: number;
  /** Asked after those: whether `work` is waited for all the same. */
  waitsOn(): boolean;
};

/**
 * How `work` ends within its bounds; rejects as it does. Neither timer nor listener is left behind. (One promise: a tool
 * call has many, and each costs.)
 */
export function bounded<Value>(
  work: Promise<Value>,
  { ms, signal, graceMs, waitsOn }: Bounds,
): Promise<Bounded<Value>> {
  return new Promise((resolve, reject) => {
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
    const timer = setTimeout(() => end(() => resolve('overdue')), ms);
    if (signal.aborted) onAsked();
    else signal.addEventListener('abort', onAsked, { once: true });
    work.then(
      (value) => end(() => resolve({ value })),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
