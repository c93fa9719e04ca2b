// A worker's process, of Holdfast or of the naive loop, so that its memory can be told and it can be killed. It serves and
// drains as a supervisor says, and at its end it writes down what it took. Argument: a WorkerConfig.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createWorker, type HoldfastWorker } from 'holdfast/worker';
import { serveSupervised } from '../../dist/worker/supervised-process.js';
import { readerAgent } from '../agent.js';
import { naiveActivities } from '../naive/activities.js';
import type { WorkerConfig, WorkerReport } from './config.js';

const SAMPLE_MS = 250;
const MB = 1024 * 1024;

const config = JSON.parse(process.argv[2] ?? '{}') as WorkerConfig;
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

let maxRss = 0;
let settledRss = 0;
const sample = () => {
  const rss = process.memoryUsage.rss();
  maxRss = Math.max(maxRss, rss);
  return rss;
};
setInterval(sample, SAMPLE_MS).unref();
process.on('message', (order) => {
  if (order !== 'drain') return;
  sample();
  collectGarbage();
  settledRss = sample();
});

Runtime.install({
  logger: new DefaultLogger('ERROR'),
  shutdownSignals: [],
  // A naive loop's payloads are warned of by the hundred.
  telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
});

async function naiveWorker({ address, bundlePath = '' }: WorkerConfig): Promise<HoldfastWorker> {
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    ...{ connection, taskQueue: config.taskQueue, workflowBundle: { codePath: bundlePath } },
    activities: naiveActivities(config.modelUrl),
  });
  return { worker, transcripts: { hits: 0, misses: 0, pages: 0, bytes: 0 } };
}

let made: HoldfastWorker | undefined;
await serveSupervised(async (onActivity) => {
  made = config.bundlePath
    ? await naiveWorker(config)
    : await createWorker({
        ...{ address: config.address, taskQueue: config.taskQueue, onActivity },
        agents: [
          readerAgent('reader', config.modelUrl, {
            // As the naive loop does it: each reply in one piece, and a tool that Temporal may run again.
            ...{ idempotent: true, stream: false },
            ...(config.maxContextBytes !== undefined && { maxContextBytes: config.maxContextBytes }),
            ...(config.iterationsPerRun !== undefined && { iterationsPerRun: config.iterationsPerRun }),
          }),
        ],
        worker: { ...(config.eager === false && { maxEagerActivityReservationsPerWorkflowTask: 0 }) },
      });
  return made;
});

const report: WorkerReport = {
  ...{ pid: process.pid, maxRssMb: maxRss / MB, settledRssMb: settledRss / MB },
  transcripts: { hits: 0, misses: 0, pages: 0, bytes: 0, ...made?.transcripts },
};
writeFileSync(join(config.folder, `worker-${process.pid}.json`), JSON.stringify(report));
process.exit(0);
