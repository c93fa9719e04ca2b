import {
  type ActivityInterceptorsFactory,
  Runtime,
  type Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import { holdfastActivities } from '../activities/activities.js';
import { Agents } from '../activities/agents.js';
import { Interrupts } from '../activities/interrupts.js';
import { openai } from '../activities/openai/openai.js';
import { presentPlanTool } from '../activities/present-plan.js';
import { readArtifactTool } from '../activities/read-artifact.js';
import { Recent } from '../activities/recent.js';
import { ToolSetups } from '../activities/tool-setups.js';
import { TranscriptCache } from '../activities/transcript-cache.js';
import { TranscriptReader } from '../activities/transcript-reader.js';
import { wireInterceptor } from '../activities/wire-interceptor.js';
import type { ArtifactStore } from '../artifacts/artifact-store.js';
import { Artifacts } from '../artifacts/artifacts.js';
import { localArtifacts } from '../artifacts/local-artifacts.js';
import { type CodecOptions, keyringOf } from '../codec/data-converter.js';
import type { Agent } from '../define/define-agent.js';
import type { Hooks } from '../define/hooks.js';
import { McpConnections } from '../mcp/connections.js';
import { type Duration, durationMs } from '../shared/duration.js';
import type { Model } from '../shared/model-port.js';
import { forgetOldArtifacts } from './artifact-retention.js';
import { readTurn } from './read-turn.js';
import { holdfastSinks } from './sinks.js';

export type ServingOptions = {
  agents: readonly Agent[];
  /**
   * Where what is too big for Temporal is kept. Default: a folder of this machine's user; workers on several machines
   * need a store that they share.
   */
  artifacts?: ArtifactStore;
  /** How long an artifact is kept after it was last stored, and longer than any turn takes; default 30 days. */
  artifactRetention?: Duration;
  /** Transcripts kept in memory: by default 256 MB of them. */
  transcriptCache?: { maxBytes?: number; maxTranscripts?: number };
  /** Its keys encrypt what is kept in the artifact store. Default: `HOLDFAST_ENCRYPTION_KEYS`, else none. */
  codec?: CodecOptions;
  /** Of all its agents and their sub-agents, after their own: docs/hooks.md. Give the workers of a queue the same. */
  hooks?: readonly Hooks[];
};

/** What a worker needs so that turns of these agents run on it. */
export type Serving = {
  activities: ReturnType<typeof holdfastActivities>;
  sinks: ReturnType<typeof holdfastSinks>;
  activityInterceptor: ActivityInterceptorsFactory;
  /** How reads of transcripts went. */
  transcripts: TranscriptReader['stats'];
  /** To be called when the SDK starts its threads: loads what first calls of models would wait for, as this one is idle then. */
  prepare(): void;
  /** To be called with the worker that was made with this. */
  attach(worker: Worker): void;
  /** To be called when that worker has ended: what was started for its turns ends. */
  close(): Promise<void>;
};

/** Turns that go on at a time have few different lists of tools. */
const RECENT_CATALOGS = 50;

/** Options of the SDK's that turns are the better for; each may be set otherwise. */
export const turnWorkerOptions: Partial<WorkerOptions> = {
  // A turn asks its own worker for messages: when that one died, this is how long the question waits for another.
  stickyQueueScheduleToStartTimeout: '1 second',
  // Heartbeats carry text that people watch, and a cancel is heard at the next one. They come every 100 ms at most; were
  // the SDK's bound the same, it would hold back each that is a little early, and with it the ones after it.
  maxHeartbeatThrottleInterval: '50 milliseconds',
  defaultHeartbeatThrottleInterval: '50 milliseconds',
  // So that the calls of one reply start without a round trip each.
  maxEagerActivityReservationsPerWorkflowTask: 8,
  shutdownGraceTime: '10 seconds',
};

export function servingOf(options: ServingOptions): Serving {
  const store = options.artifacts ?? localArtifacts();
  const artifacts = new Artifacts(store, keyringOf(options.codec));
  const retentionMs = durationMs('artifactRetention', options.artifactRetention ?? '30 days');
  const common = [readArtifactTool(artifacts), presentPlanTool];
  const agents = new Agents(options.agents, common, options.hooks);
  const cache = new TranscriptCache(options.transcriptCache);
  const transcripts = new TranscriptReader(cache, artifacts);
  const interrupts = new Interrupts();
  const modelFor = modelChooser();
  const mcp = new McpConnections();
  const setups = new ToolSetups((text) => Runtime.instance().logger.warn(text));
  let worker: Worker | undefined;
  const isIn = (...states: string[]) => worker !== undefined && states.includes(worker.getState());
  const isDraining = () => isIn('STOPPING', 'DRAINING');
  return {
    activities: holdfastActivities({
      ...{ agents, modelFor, transcripts, interrupts, artifacts, isDraining, mcp, setups, readTurn },
      catalogs: new Recent(RECENT_CATALOGS),
    }),
    sinks: holdfastSinks(cache, interrupts),
    activityInterceptor: () => ({ inbound: wireInterceptor }),
    transcripts: transcripts.stats,
    prepare() {
      setImmediate(() => {
        for (const agent of agents.all)
          modelFor(agent)
            .prepare?.()
            .catch(() => undefined);
      });
    },
    attach(made) {
      worker = made;
      forgetOldArtifacts(store, {
        retentionMs,
        isOver: () => isIn('STOPPED', 'FAILED'),
        warn: (text) => Runtime.instance().logger.warn(text),
      });
      tellNotStrict(agents.all);
    },
    close: async () => {
      await Promise.all([mcp.close(), setups.close()]);
    },
  };
}

/** Throws a TypeError for a worker's own options that turns can't run with. */
export function refuseWhatCannotWork(own: Partial<WorkerOptions>, activities: object): void {
  if (own.maxCachedWorkflows === 0) {
    throw new TypeError(
      'maxCachedWorkflows: 0 would replay a turn from its start for each page of its transcript.',
    );
  }
  const taken = Object.keys(own.activities ?? {}).find((name) => name in activities);
  if (taken)
    throw new TypeError(
      `Activity "${taken}" is taken: a tool of an agent, or Holdfast itself, has that name. Give yours another one.`,
    );
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
