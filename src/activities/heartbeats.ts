import type { Context } from '@temporalio/activity';
import type { Heartbeat } from '../shared/activities.js';

/** An activity hears of a cancel at its next beat: at 500 ms an interrupt takes a third of a second (DESIGN.md). */
const BEAT_MS = 500;
const STREAM_BEAT_MS = 100;

/**
 * Beats on its own timer for as long as `work` takes, so that a slow model or a silent tool is not taken for dead.
 * `details` is asked at each beat. With `hasNews`, beats that have something to show come five times as often.
 */
export async function beatWhile<Result>(
  context: Context,
  details: () => Heartbeat,
  work: () => Promise<Result>,
  hasNews?: () => boolean,
): Promise<Result> {
  let lastBeat = Date.now();
  const beat = () => {
    lastBeat = Date.now();
    context.heartbeat(details());
  };
  const timer = setInterval(
    () => {
      if (Date.now() - lastBeat >= BEAT_MS - STREAM_BEAT_MS / 2 || hasNews?.()) beat();
    },
    hasNews ? STREAM_BEAT_MS : BEAT_MS,
  );
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
