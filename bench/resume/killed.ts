import { Supervisor } from '../../dist/worker/supervisor.js';
import { WORKER_PROGRAM, workerEnv } from '../worker/processes.js';
import { type Figures, type Place, type Reference, readFigures, runTurn, workersOf } from './turns.js';

/** The model answers later than the kill comes, so that it is always a model call that the worker leaves behind. */
const HOLD_MS = 300;

type Killed = Figures & { killedAt: number; resumeMs: number; iterations: number };

/** SIGKILL to the worker amid a model call half-way, under the supervisor that `holdfast worker` runs: until it is made again. */
export async function killed(place: Place, reference: Reference): Promise<Killed> {
  const { model, rounds } = place;
  const killedAt = Math.floor(rounds / 2);
  const config = await workersOf(place, 'killed');
  const supervisor = new Supervisor({
    ...{ program: WORKER_PROGRAM, args: [JSON.stringify(config)], env: workerEnv(config) },
    client: place.client.client,
  });
  await supervisor.start();
  model.hold({ page: killedAt, ms: HOLD_MS });
  let died: number | undefined;
  let resumed: number | undefined;
  model.onRequest(({ page, at }) => {
    if (died !== undefined && at > died) resumed ??= at;
    if (page !== killedAt || died !== undefined || supervisor.pid === undefined) return;
    process.kill(supervisor.pid, 'SIGKILL');
    died = Date.now();
  });
  const iterations = await runTurn(place, config, reference);
  model.onRequest(() => undefined);
  model.hold({ page: killedAt, ms: 0 });
  await supervisor.drain();
  if (died === undefined || resumed === undefined) throw new Error('No worker was killed.');
  return { killedAt, resumeMs: resumed - died, iterations, ...(await readFigures(config)) };
}
