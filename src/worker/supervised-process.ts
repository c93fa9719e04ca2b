import type { HoldfastWorker } from '../worker.js';
import type { ActivityReport } from './activity-reports.js';

/** From the supervisor: begin to take tasks; or finish what runs and end. */
export type SupervisorOrder = 'serve' | 'drain';
/** To the supervisor. `ready`: everything is loaded and connected, no task is taken yet. */
export type WorkerMessage = { type: 'ready' } | ActivityReport;

/**
 * The worker's side of a supervised process: makes a worker, waits, serves when it is told to, drains when it is told
 * to or when its supervisor is gone. Resolves when the worker has ended.
 */
export async function serveSupervised(
  make: (report: (report: ActivityReport) => void) => Promise<HoldfastWorker>,
): Promise<void> {
  // Once the supervisor is gone nobody listens, and a message must not end the process in the middle of what runs.
  const send = (message: WorkerMessage) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
  };
  const { worker } = await make(send);
  await new Promise<void>((resolve, reject) => {
    let serving = false;
    const drain = () => {
      if (!serving) resolve();
      else if (worker.getState() === 'RUNNING') worker.shutdown();
    };
    process.on('message', (order: SupervisorOrder) => {
      if (order === 'drain') drain();
      if (order !== 'serve' || serving) return;
      serving = true;
      worker.run().then(resolve, reject);
    });
    process.once('disconnect', drain);
    // A terminal sends Ctrl-C to the supervisor, too, which then says what to do.
    process.on('SIGINT', () => undefined);
    process.on('SIGTERM', () => undefined);
    if (process.connected) send({ type: 'ready' });
    else drain();
  });
}
