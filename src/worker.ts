import { Client, type DataConverter } from '@temporalio/client';
import {
  type NativeConnection,
  PromiseCompletionTimeoutError,
  Worker,
  type WorkerDeploymentOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import type { TranscriptReader } from './activities/transcript-reader.js';
import type { AgentClient } from './client/agent-client.js';
import { type CodecOptions, dataConverter } from './codec/data-converter.js';
import { DEFAULT_TASK_QUEUE } from './shared/turn.js';
import { type ActivityReport, reportingInterceptor } from './worker/activity-reports.js';
import { closingAfter } from './worker/closing-after.js';
import { connectWorker, type WorkerPlace } from './worker/connect.js';
import { refuseWhatCannotWork, type ServingOptions, servingOf, turnWorkerOptions } from './worker/serving.js';
import { workflowsOf } from './worker/worker-workflows.js';

export { openai } from './activities/openai/openai.js';
export type { ArtifactStore } from './artifacts/artifact-store.js';
export { localArtifacts } from './artifacts/local-artifacts.js';
export { type S3ArtifactsOptions, s3Artifacts } from './artifacts/s3-artifacts.js';
export { type HoldfastPlugin, type HoldfastPluginOptions, holdfast } from './worker/plugin.js';

export type HoldfastWorkerOptions = ServingOptions & {
  /**
   * Default: `TEMPORAL_ADDRESS`, or a profile of Temporal's configuration file, else this machine's server at `HOLDFAST_PORT`
   * or 7233; with the API key and the TLS that the variables or the profile name. Ignored where there is a `connection`.
   */
  address?: string;
  connection?: NativeConnection;
  /** Default: `TEMPORAL_NAMESPACE`, or the profile's, else `default`. */
  namespace?: string;
  /** Default `holdfast`. */
  taskQueue?: string;
  /**
   * Worker deployment versioning: turns that run go on with newer builds (`AUTO_UPGRADE`), since workflow code stays
   * able to replay them. Without it, task queues are not versioned.
   */
  deployment?: { name: string; buildId: string };
  /**
   * Encrypts and compresses payloads, and encrypts artifacts; clients need the same keys. Default:
   * `HOLDFAST_ENCRYPTION_KEYS` and `HOLDFAST_COMPRESS`, else neither. Where `worker.dataConverter` is set, that is in
   * charge of payloads.
   */
  codec?: CodecOptions;
  /** Anything of the Temporal SDK's own worker options, activities and interceptors of your own included. */
  worker?: Partial<WorkerOptions>;
  /** Told of each activity's start and end: how a supervisor knows what a process was doing when it died. */
  onActivity?: (report: ActivityReport) => void;
};

/** A worker, not yet running, and how reads of transcripts went in it. */
export type HoldfastWorker = { worker: Worker; transcripts: TranscriptReader['stats'] };

/** Connects, serves turns of these agents, and on SIGTERM or SIGINT drains: running tools get ten seconds. */
export async function runWorker(options: HoldfastWorkerOptions): Promise<void> {
  await atPlace(options, async (place) => {
    const { worker } = await createWorker({ ...options, ...place });
    await worker.run();
  });
}

const ENDED_EARLY =
  'The worker was told to end before what it was run for was done. Turns that were started go on with the next worker of their task queue.';

/**
 * Serves turns of these agents until `use` is done, in one process and over one connection: for scripts. `use` is called
 * while the worker's threads are starting, and what it starts waits for them; its client has the `codec`, or the data
 * converter and the client interceptors of `worker`, but none that plugins bring. Returns what `use` returns. Throws what
 * it throws, or why there can be no worker, which may show when turns wait for it already; and where SIGINT or SIGTERM
 * ends the worker first.
 */
export async function runWorkerUntil<Result>(
  options: HoldfastWorkerOptions,
  use: (client: AgentClient) => Promise<Result>,
): Promise<Result> {
  return await atPlace(options, async (place) => {
    const creating = createWorker({ ...options, ...place });
    const client = clientAt(place, options);
    // What we refuse shows by now, before a turn is started.
    await Promise.race([creating, client.catch(() => undefined)]);
    const using = client.then(use);
    using.catch(() => undefined);
    const { worker } = await creating;
    return await worker.runUntil(using).catch((error: unknown) => {
      if (!(error instanceof PromiseCompletionTimeoutError)) throw error;
      throw new Error(ENDED_EARLY, { cause: error });
    });
  });
}

/** As {@link runWorker}, for those who run it themselves. Throws a TypeError for options that can't work together. */
export async function createWorker(options: HoldfastWorkerOptions): Promise<HoldfastWorker> {
  const { worker: own = {}, onActivity } = options;
  const converter = converterOf(options);
  const serving = servingOf(options);
  refuseWhatCannotWork(own, serving.activities);
  refuseWorkflows(own);
  const place = await placeOf(options);
  const creating = Worker.create({
    ...turnWorkerOptions,
    ...(options.deployment && { workerDeploymentOptions: versioned(options.deployment) }),
    ...own,
    ...place,
    taskQueue: options.taskQueue ?? DEFAULT_TASK_QUEUE,
    ...workflowsOf({ ...own, dataConverter: converter }),
    dataConverter: converter,
    activities: { ...own.activities, ...serving.activities },
    sinks: { ...own.sinks, ...serving.sinks },
    plugins: [...(own.plugins ?? []), closingAfter(serving)],
    interceptors: {
      ...own.interceptors,
      activity: [
        (context) => ({ inbound: onActivity ? reportingInterceptor(context, onActivity) : {} }),
        ...(own.interceptors?.activity ?? []),
        serving.activityInterceptor,
      ],
    },
  });
  serving.prepare();
  const worker: Worker = await creating;
  serving.attach(worker);
  return { worker, transcripts: serving.transcripts };
}

/** Of the worker's own connection; the class is loaded when its threads are starting, and no sooner. */
async function clientAt(place: WorkerPlace, options: HoldfastWorkerOptions): Promise<AgentClient> {
  const { AgentClient } = await import('./client/agent-client.js');
  const { interceptors } = options.worker ?? {};
  const client = new Client({
    ...place,
    dataConverter: converterOf(options),
    ...(interceptors?.client && { interceptors: interceptors.client }),
  });
  return new AgentClient({ client, taskQueue: options.taskQueue ?? DEFAULT_TASK_QUEUE });
}

function converterOf({ worker, codec }: HoldfastWorkerOptions): DataConverter {
  return worker?.dataConverter ?? dataConverter(codec);
}

/** A connection that was made for it is closed after it. */
async function atPlace<Result>(
  options: HoldfastWorkerOptions,
  use: (place: WorkerPlace) => Promise<Result>,
): Promise<Result> {
  const place = await placeOf(options);
  try {
    return await use(place);
  } finally {
    if (!options.connection) await place.connection.close();
  }
}

async function placeOf(options: HoldfastWorkerOptions): Promise<WorkerPlace> {
  const { connection, namespace = process.env['TEMPORAL_NAMESPACE'] ?? 'default' } = options;
  return connection ? { connection, namespace } : await connectWorker(options);
}

function versioned({ name, buildId }: { name: string; buildId: string }): WorkerDeploymentOptions {
  const version = { deploymentName: name, buildId };
  return { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' };
}

function refuseWorkflows({ workflowsPath }: Partial<WorkerOptions>): void {
  if (workflowsPath === undefined) return;
  throw new TypeError(
    "workflowsPath: this worker runs Holdfast's workflows alone. For workflows of your own beside them: Worker.create({ ..., workflowsPath, plugins: [holdfast({ agents })] })",
  );
}
