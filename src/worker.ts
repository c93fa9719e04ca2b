import {
  NativeConnection,
  Runtime,
  Worker,
  type WorkerDeploymentOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import { holdfastActivities } from './activities/activities.js';
import { Agents } from './activities/agents.js';
import { Interrupts } from './activities/interrupts.js';
import { openai } from './activities/openai/openai.js';
import { readArtifactTool } from './activities/read-artifact.js';
import { TranscriptCache } from './activities/transcript-cache.js';
import { TranscriptReader } from './activities/transcript-reader.js';
import { wireInterceptor } from './activities/wire-interceptor.js';
import type { ArtifactStore } from './artifacts/artifact-store.js';
import { Artifacts } from './artifacts/artifacts.js';
import { localArtifacts } from './artifacts/local-artifacts.js';
import { type CodecOptions, dataConverter, keyringOf, sealsFailures } from './codec/data-converter.js';
import type { Agent } from './define/define-agent.js';
import { type Duration, durationMs } from './define/duration.js';
import type { Model } from './shared/model-port.js';
import { reached } from './shared/reached.js';
import { DEFAULT_TASK_QUEUE } from './shared/turn.js';
import { type ActivityReport, reportingInterceptor } from './worker/activity-reports.js';
import { forgetOldArtifacts } from './worker/artifact-retention.js';
import { holdfastSinks } from './worker/sinks.js';
import { workflowBundle } from './worker/workflow-bundle.js';

export { openai } from './activities/openai/openai.js';
export type { ArtifactStore } from './artifacts/artifact-store.js';
export { localArtifacts } from './artifacts/local-artifacts.js';
export { type S3ArtifactsOptions, s3Artifacts } from './artifacts/s3-artifacts.js';

export type HoldfastWorkerOptions = {
  agents: readonly Agent[];
  /** Default: `TEMPORAL_ADDRESS`, else localhost:7233. Ignored where there is a `connection`. */
  address?: string;
  connection?: NativeConnection;
  /** Default: `TEMPORAL_NAMESPACE`, else `default`. */
  namespace?: string;
  /** Default `holdfast`. */
  taskQueue?: string;
  /**
   * Worker deployment versioning: turns that run go on with newer builds (`AUTO_UPGRADE`), since workflow code stays
   * able to replay them. Without it, task queues are not versioned.
   */
  deployment?: { name: string; buildId: string };
  /**
   * Where what is too big for Temporal is kept. Default: a folder of this machine's user; workers on several machines
   * need a store that they share.
   */
  artifacts?: ArtifactStore;
  /** How long an artifact is kept after it was last stored, and longer than any turn takes; default 30 days. */
  artifactRetention?: Duration;
  /** Transcripts kept in memory: by default 256 MB of them. */
  transcriptCache?: { maxBytes?: number; maxTranscripts?: number };
  /**
   * Encrypts and compresses payloads; clients need the same keys. Default: `HOLDFAST_ENCRYPTION_KEYS` and
   * `HOLDFAST_COMPRESS`, else neither. Ignored where `worker.dataConverter` is set.
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
  const connection = options.connection ?? (await connect(options.address));
  const { worker } = await createWorker({ ...options, connection });
  try {
    await worker.run();
  } finally {
    if (!options.connection) await connection.close();
  }
}

/** As {@link runWorker}, for those who run it themselves. Throws a TypeError for options that can't work together. */
export async function createWorker(options: HoldfastWorkerOptions): Promise<HoldfastWorker> {
  const { worker: own = {}, onActivity } = options;
  const converter = own.dataConverter ?? dataConverter(options.codec);
  const store = options.artifacts ?? localArtifacts();
  const artifacts = new Artifacts(store, keyringOf(options.codec));
  const retentionMs = durationMs('artifactRetention', options.artifactRetention ?? '30 days');
  const agents = new Agents(options.agents, [readArtifactTool(artifacts)]);
  const cache = new TranscriptCache(options.transcriptCache);
  const transcripts = new TranscriptReader(cache, artifacts);
  const interrupts = new Interrupts();
  const isDraining = () => ['STOPPING', 'DRAINING'].includes(worker.getState());
  const modelFor = modelChooser();
  const activities = holdfastActivities({
    agents,
    modelFor,
    transcripts,
    interrupts,
    artifacts,
    isDraining,
  });
  refuseWhatCannotWork(own, activities);
  // While the SDK starts its threads this one is idle.
  setImmediate(() => {
    for (const agent of options.agents)
      modelFor(agent)
        .prepare?.()
        .catch(() => undefined);
  });
  const worker: Worker = await Worker.create({
    // A turn asks its own worker for messages: when that one died, this is how long the question waits for another.
    stickyQueueScheduleToStartTimeout: '1 second',
    // Heartbeats carry text that people watch, and a cancel is heard at the next one. They come every 100 ms at most; were
    // the SDK's bound the same, it would hold back each that is a little early, and with it the ones after it.
    maxHeartbeatThrottleInterval: '50 milliseconds',
    defaultHeartbeatThrottleInterval: '50 milliseconds',
    // So that the calls of one reply start without a round trip each.
    maxEagerActivityReservationsPerWorkflowTask: 8,
    shutdownGraceTime: '10 seconds',
    ...(options.deployment && { workerDeploymentOptions: versioned(options.deployment) }),
    ...own,
    connection: options.connection ?? (await connect(options.address)),
    namespace: options.namespace ?? process.env['TEMPORAL_NAMESPACE'] ?? 'default',
    taskQueue: options.taskQueue ?? DEFAULT_TASK_QUEUE,
    workflowBundle: own.workflowBundle ?? workflowBundle(sealsFailures(converter)),
    dataConverter: converter,
    activities: { ...own.activities, ...activities },
    sinks: { ...own.sinks, ...holdfastSinks(cache, interrupts) },
    interceptors: {
      ...own.interceptors,
      activity: [
        (context) => ({ inbound: onActivity ? reportingInterceptor(context, onActivity) : {} }),
        ...(own.interceptors?.activity ?? []),
        () => ({ inbound: wireInterceptor }),
      ],
    },
  });
  forgetOldArtifacts(store, {
    retentionMs,
    isOver: () => ['STOPPED', 'FAILED'].includes(worker.getState()),
    warn: (text) => Runtime.instance().logger.warn(text),
  });
  tellNotStrict(options.agents);
  return { worker, transcripts: transcripts.stats };
}

/** For those who look: an ordinary optional argument is enough, so that it is nothing to be warned of. */
function tellNotStrict(agents: readonly Agent[]): void {
  for (const { name, tools } of agents)
    for (const tool of tools)
      if (tool.notStrictBecause !== undefined)
        Runtime.instance().logger.debug(
          `Agent ${name}: its tool ${tool.name} is not strict, because ${tool.notStrictBecause}`,
        );
}

function versioned({ name, buildId }: { name: string; buildId: string }): WorkerDeploymentOptions {
  const version = { deploymentName: name, buildId };
  return { version, useWorkerVersioning: true, defaultVersioningBehavior: 'AUTO_UPGRADE' };
}

async function connect(given: string | undefined): Promise<NativeConnection> {
  const address = given ?? process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
  return await reached(address, NativeConnection.connect({ address }));
}

/** A string is a model's name at the endpoint that the worker's environment names. */
function modelChooser(): (agent: Agent) => Model {
  const byName = new Map<string, Model>();
  return ({ model }) => {
    if (typeof model !== 'string') return model;
    const known = byName.get(model) ?? openai({ model });
    byName.set(model, known);
    return known;
  };
}

function refuseWhatCannotWork(own: Partial<WorkerOptions>, ours: object): void {
  if (own.maxCachedWorkflows === 0) {
    throw new TypeError(
      'maxCachedWorkflows: 0 would replay a turn from its start for each page of its transcript.',
    );
  }
  if (own.workflowsPath !== undefined) {
    throw new TypeError(
      "workflowsPath: this worker runs Holdfast's workflows. Give yours a worker of their own.",
    );
  }
  const taken = Object.keys(own.activities ?? {}).find((name) => name in ours);
  if (taken)
    throw new TypeError(
      `Activity "${taken}" is taken: a tool of an agent, or Holdfast itself, has that name.`,
    );
}
