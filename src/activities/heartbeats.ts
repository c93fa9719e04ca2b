import type { Context } from '@temporalio/activity';
import type { Heartbeat } from '../shared/heartbeats.js';

/** An activity hears of a cancel at its next beat: every 500 ms, that takes a third of a second in the median (measured). */
const BEAT_MS = 500;
const TICK_MS = 100;

export type Beats = {
  /** What the next beat shows. */
  details(): Heartbeat | undefined;
  /** Something new is to be seen: then the next tick beats, without waiting for its turn. */
  hasNews?(): boolean;
  /** Called ten times a second. */
  onTick?(): void;
};

/** Beats on its own timer for as long as `work` takes, so that a slow model or a silent tool is not taken for dead. */
export async function beatWhile<Result>(
  context: Context,
  beats: Beats,
  work: () => Promise<Result>,
): Promise<Result> {
  let lastBeat = Date.now();
  const timer = setInterval(() => {
    beats.onTick?.();
    if (Date.now() - lastBeat < BEAT_MS - TICK_MS / 2 && !beats.hasNews?.()) return;
    lastBeat = Date.now();
    context.heartbeat(beats.details());
  }, TICK_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
