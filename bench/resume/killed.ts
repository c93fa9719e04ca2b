import { Supervisor } from '../../dist/worker/supervisor.js';
import { WORKER_PROGRAM, workerEnv } from '../worker/processes.js';
import { type Figures, type Place, type Reference, readFigures, runTurn, workersOf } from './turns.js';

type Killed = Figures & { killedAt: number; resumeMs: number; iterations: number };

/** SIGKILL to the worker half-way, under the supervisor that `holdfast worker` runs; from then until the model is asked again. */
export async function killed(place: Place, reference: Reference): Promise<Killed> {
  const { model, rounds } = place;
  const killedAt = Math.floor(rounds / 2);
  const config = await workersOf(place, 'killed');
  const supervisor = new Supervisor({
    ...{ program: WORKER_PROGRAM, args: [JSON.stringify(config)], env: workerEnv(config) },
    client: place.client.client,
  });
  await supervisor.start();
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
  await supervisor.drain();
  if (died === undefined || resumed === undefined) throw new Error('No worker was killed.');
  return { killedAt, resumeMs: resumed - died, iterations, ...(await readFigures(config)) };
}
