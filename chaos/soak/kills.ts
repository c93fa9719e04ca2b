import { setTimeout } from 'node:timers/promises';
import type { Machine } from '../machine.js';
import { Random } from '../random.js';
import { appendRecord, type Deed } from '../records.js';

const SERVING_WITHIN_MS = 20_000;
/** By then the next worker is loaded and stands by. */
const WARM_AFTER_MS = 3000;
const HASTY_SHARE = 0.15;
const [LEAST_PAUSE_MS, MOST_PAUSE_MS] = [1500, 12_000];
const POWER_FAILURE_SHARE = 0.1;

/** SIGKILL to the workers of these machines at random, to some with their supervisors, until it is over. */
export async function killAtRandom(
  machines: readonly Machine[],
  seed: number,
  deedsPath: string,
  over: AbortSignal,
): Promise<void> {
  const random = new Random(seed);
  while (!over.aborted) {
    await setTimeout(random.between(LEAST_PAUSE_MS, MOST_PAUSE_MS), undefined, { signal: over }).catch(
      unlessOver,
    );
    const machine = machines[random.between(0, machines.length - 1)];
    const pid = await machine?.serving(SERVING_WITHIN_MS, random.chance(HASTY_SHARE) ? 0 : WARM_AFTER_MS);
    if (over.aborted || !machine || pid === undefined || machine.pid !== pid) continue;
    const supervised = !random.chance(POWER_FAILURE_SHARE);
    appendRecord<Deed>(deedsPath, { deed: 'killed', at: Date.now(), pid, supervised });
    if (supervised) machine.kill();
    else machine.killAll();
  }
}

function unlessOver(error: unknown): void {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error;
}
