import { SimplePlugin } from '@temporalio/plugin';
import type { BundleOptions, ReplayWorkerOptions, Worker, WorkerOptions } from '@temporalio/worker';
import { turnWorkflowsPath, withTurnWorkflow } from './bundler.js';
import {
  refuseWhatCannotWork,
  type Serving,
  type ServingOptions,
  servingOf,
  turnWorkerOptions,
} from './serving.js';
import { workflowsOf } from './worker-workflows.js';

export type HoldfastPluginOptions = ServingOptions;

/**
 * Lets a Temporal worker that you have run turns of these agents, beside its own workflows and activities:
 * `Worker.create({ ..., plugins: [holdfast({ agents })] })`. It is for `bundleWorkflowCode` and `Worker.runReplayHistory`,
 * too. The data converter stays yours: what payloads are encrypted with is set there.
 *
 * `Worker.create` throws a TypeError for a worker that turns can't run on: an activity has the name of a tool, or
 * `default`, or the `workflowBundle` was built without the plugin.
 */
export function holdfast(options: HoldfastPluginOptions): HoldfastPlugin {
  return new HoldfastPlugin(options);
}

export class HoldfastPlugin extends SimplePlugin {
  readonly #serving: ServingOptions;
  /** By the sinks that workers were configured with: one plugin may serve several. */
  readonly #servings = new WeakMap<object, Serving>();

  constructor(options: HoldfastPluginOptions) {
    super({ name: 'holdfast' });
    this.#serving = options;
  }

  override configureWorker(options: WorkerOptions): WorkerOptions {
    if (this.#isApplied(options)) return options;
    const serving = servingOf(this.#serving);
    refuseWhatCannotWork(options, serving.activities);
    this.#servings.set(serving.sinks.holdfastTranscript, serving);
    serving.prepare();
    return {
      ...turnWorkerOptions,
      ...options,
      ...workflowsOf(options),
      activities: { ...options.activities, ...serving.activities },
      sinks: { ...options.sinks, ...serving.sinks },
      interceptors: {
        ...options.interceptors,
        activity: [...(options.interceptors?.activity ?? []), serving.activityInterceptor],
      },
    };
  }

  override configureReplayWorker(options: ReplayWorkerOptions): ReplayWorkerOptions {
    const { sinks } = servingOf({ agents: [] });
    return { ...options, ...workflowsOf(options), sinks: { ...sinks, ...options.sinks } };
  }

  override configureBundler(options: BundleOptions): BundleOptions {
    return options.workflowsPath === turnWorkflowsPath() ? options : withTurnWorkflow(options);
  }

  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    const sink = sinkOf(worker.options);
    const serving = sink && this.#servings.get(sink);
    serving?.attach(worker);
    try {
      await next(worker);
    } finally {
      await serving?.close();
    }
  }

  /** By this plugin, given twice, or by an equal one. */
  #isApplied({ sinks, plugins = [] }: WorkerOptions): boolean {
    if (!sinkOf({ sinks })) return false;
    const { agents } = this.#serving;
    for (const other of plugins) {
      if (!(other instanceof HoldfastPlugin)) continue;
      const served = other.#serving.agents;
      if (served.length === agents.length && agents.every((agent) => served.includes(agent))) continue;
      throw new TypeError(
        'Two holdfast plugins with different agents: name all agents in one holdfast({ agents: [...] }).',
      );
    }
    return true;
  }
}

function sinkOf({ sinks }: { sinks?: WorkerOptions['sinks'] | undefined }): object | undefined {
  return sinks?.['holdfastTranscript'];
}
