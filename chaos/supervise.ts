// One machine of the run, as `holdfast worker` is: a supervisor with its workers, which drains on SIGTERM.
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { Supervisor } from '../dist/worker/supervisor.js';
import type { WorkerConfig } from './worker.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));

const [, , written = '{}'] = process.argv;
const config = JSON.parse(written) as WorkerConfig;
const connection = await Connection.connect({ address: config.address });
const supervisor = new Supervisor({
  program: WORKER,
  args: [written],
  client: new Client({ connection }),
  onEvent: (event) => process.connected && process.send?.(event),
});
const drain = () => void supervisor.drain();
process.once('SIGTERM', drain);
process.once('disconnect', drain);
try {
  await supervisor.start();
  await supervisor.ended;
  process.exit(0);
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
