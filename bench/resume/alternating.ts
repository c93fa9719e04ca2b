import { drained, startWorkerProcess } from '../worker/processes.js';
import { type Figures, type Place, type Reference, readFigures, runTurn, workersOf } from './turns.js';

/** How often in a turn a new worker comes and the older one of the two goes. */
const SWAPS = 20;

/** Two workers, each of which takes whatever comes; the one that has the turn's workflow goes sooner or later, too. */
export async function alternating(
  place: Place,
  reference: Reference,
): Promise<{ workers: number } & Figures> {
  const { model, rounds } = place;
  const config = { ...(await workersOf(place, 'alternating')), eager: false };
  const workers = [await startWorkerProcess(config), await startWorkerProcess(config)];
  let count = workers.length;
  let swapped = Promise.resolve();
  const swap = async () => {
    workers.push(await startWorkerProcess(config));
    count += 1;
    const [oldest] = workers.splice(0, 1);
    if (oldest) await drained(oldest, config.folder);
  };
  const every = Math.max(1, Math.round(rounds / SWAPS));
  model.onRequest(({ page }) => {
    if (page > 0 && page < rounds && page % every === 0) swapped = swapped.then(swap);
  });
  await runTurn(place, config, reference);
  model.onRequest(() => undefined);
  await swapped;
  await Promise.all(workers.map((worker) => drained(worker, config.folder)));
  return { workers: count, ...(await readFigures(config)) };
}
