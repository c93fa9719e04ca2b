import { once } from 'node:events';

/** Resolves when the signal fires; rejects when `over` does. */
export async function fired(signal: AbortSignal, over: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort', { signal: over });
}

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
