// A worker's process, under a supervisor. The runner kills it.
import { join } from 'node:path';
import type { Context } from '@temporalio/activity';
import { type ActivityInterceptors, DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { defineAgent, openai } from 'holdfast';
import { createWorker } from 'holdfast/worker';
import { localArtifacts } from '../dist/artifacts/local-artifacts.js';
import { serveSupervised } from '../dist/worker/supervised-process.js';
import { type BreakName, brokenWorker } from './breaks.js';
import { type ActivityLine, appendRecord, type MemoryLine, recordPaths } from './records.js';
import { AGENT } from './script.js';
import { chaosTools } from './tools.js';

export type WorkerConfig = {
  address: string;
  taskQueue: string;
  modelUrl: string;
  /** Where the ledger is. */
  folder: string;
  breakName?: BreakName;
  continueEvery?: number;
  cachedTranscripts?: number;
  /** The model's context window in tokens. Default: one that nobody knows, so that no transcript is too long. */
  window?: number;
  /** Writes down now and then what it has in memory. */
  watchesMemory?: boolean;
};

const MEMORY_EVERY_MS = 1000;

const config = JSON.parse(process.argv[2] ?? '{}') as WorkerConfig;
const paths = recordPaths(config.folder);
const agent = defineAgent({
  name: AGENT,
  instructions: 'You do what the plan says.',
  model: openai({ model: 'scripted', baseURL: config.modelUrl }),
  tools: chaosTools(paths.ledger),
  ...(config.continueEvery && { iterationsPerRun: config.continueEvery }),
  ...(config.window && { compaction: { window: config.window } }),
});

function recording({ info }: Context): ActivityInterceptors {
  const write = (event: ActivityLine['event']) =>
    appendRecord<ActivityLine>(paths.activities, {
      ...{ event, activityId: info.activityId, attempt: info.attempt },
      ...{ turnId: info.workflowExecution?.workflowId ?? '', pid: process.pid, at: Date.now() },
    });
  return {
    inbound: {
      async execute(input, next) {
        write('began');
        try {
          return await next(input);
        } finally {
          write('ended');
        }
      },
    },
  };
}

function writeMemory(): void {
  const line = { at: Date.now(), pid: process.pid, rss: process.memoryUsage.rss() };
  appendRecord<MemoryLine>(paths.memory, line);
}

if (config.watchesMemory) setInterval(writeMemory, MEMORY_EVERY_MS).unref();
Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
// While the server is down no worker starts; its supervisor says so.
const connection = await NativeConnection.connect({ address: config.address }).catch(() => process.exit(1));
const broken = config.breakName ? brokenWorker(config.breakName) : {};
await serveSupervised((onActivity) =>
  createWorker({
    ...{ agents: [agent], connection, taskQueue: config.taskQueue, onActivity },
    artifacts: localArtifacts(join(config.folder, 'artifacts')),
    ...(config.cachedTranscripts && { transcriptCache: { maxTranscripts: config.cachedTranscripts } }),
    worker: {
      ...broken,
      interceptors: { activity: [recording, ...(broken.interceptors?.activity ?? [])] },
    },
  }),
);
process.exit(0);
