import { setImmediate, setTimeout } from 'node:timers/promises';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Splits between code points, so that no piece has half a character. */
export function piecesOf(text: string, characters: number): string[] {
  const all = [...text];
  const pieces: string[] = [];
  for (let at = 0; at < all.length; at += characters) pieces.push(all.slice(at, at + characters).join(''));
  return pieces;
}

/** Lets other work run, `ms` of it at least. Throws the signal's reason as soon as it fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    if (ms > 0) await setTimeout(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal });
    else await setImmediate();
  } catch {
    // The only way a timer fails is its signal, whose own reason is what is to be thrown.
  }
  signal.throwIfAborted();
}

/** What `promise` gives, or the signal's reason as soon as it fires; the promise goes on unheard then. */
export async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  return await Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
