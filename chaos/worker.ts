// A worker's process, under a supervisor. The runner kills it.
import type { Context } from '@temporalio/activity';
import { type ActivityInterceptors, DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { type AgentOptions, defineAgent, openai } from 'holdfast';
import { createWorker } from 'holdfast/worker';
import { serveSupervised } from '../dist/worker/supervised-process.js';
import { type BreakName, brokenWorker } from './breaks.js';
import { type ActivityLine, appendRecord, recordPaths } from './records.js';
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
};

const config = JSON.parse(process.argv[2] ?? '{}') as WorkerConfig;
const paths = recordPaths(config.folder);
const agentOptions: AgentOptions & { iterationsPerRun?: number } = {
  name: AGENT,
  instructions: 'You do what the plan says.',
  model: openai({ model: 'scripted', baseURL: config.modelUrl }),
  tools: chaosTools(paths.ledger),
  ...(config.continueEvery && { iterationsPerRun: config.continueEvery }),
};
const agent = defineAgent(agentOptions);

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

Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
// While the server is down no worker starts; its supervisor says so.
const connection = await NativeConnection.connect({ address: config.address }).catch(() => process.exit(1));
const broken = config.breakName ? brokenWorker(config.breakName) : {};
await serveSupervised((onActivity) =>
  createWorker({
    ...{ agents: [agent], connection, taskQueue: config.taskQueue, onActivity },
    ...(config.cachedTranscripts && { transcriptCache: { maxTranscripts: config.cachedTranscripts } }),
    worker: {
      ...broken,
      interceptors: { activity: [recording, ...(broken.interceptors?.activity ?? [])] },
    },
  }),
);
process.exit(0);
