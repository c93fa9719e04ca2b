import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { ActivityReport } from './activity-reports.js';
import { reportLostActivities } from './lost-activities.js';
import type { SupervisorOrder, WorkerMessage } from './supervised-process.js';

export type SupervisorOptions = {
  /** The worker's program, which calls `serveSupervised`. */
  program: string;
  args: string[];
  /** To tell Temporal what a dead process was doing. */
  client: Client;
  env?: NodeJS.ProcessEnv;
  /** Told what happens to the processes, for logs. */
  onEvent?: (event: SupervisorEvent) => void;
};

export type SupervisorEvent =
  | { type: 'serving'; pid: number }
  | { type: 'died'; pid: number; how: string; activities: number }
  | { type: 'reported'; pid: number; activities: number; afterMs: number };

type Started = Extract<ActivityReport, { type: 'activity_started' }>;

/** A worker that crashes at once again and again is started with this pause. */
const CRASH_PAUSE_MS = 1000;
const SHORT_LIFE_MS = 2000;
/** What an activity's answer takes to reach the server, with room. */
const ANSWER_MS = 1000;

/**
 * Runs a worker in a process of its own, beside a second one that is loaded and connected and takes no task yet. When
 * the first dies, the second takes over at once, and Temporal is told what the dead one was running, so that a crash
 * costs about a second and not a heartbeat timeout.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #serving: WorkerProcess | undefined;
  #spare: Promise<WorkerProcess> | undefined;
  #draining = false;
  #tellEnded: (error?: Error) => void = () => undefined;
  /** Resolves after `drain`, rejects when no worker can be started. */
  readonly ended: Promise<void>;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.ended = new Promise((resolve, reject) => {
      this.#tellEnded = (error) => (error ? reject(error) : resolve());
    });
  }

  /** Throws what kept the first worker from starting; it has told the reason on stderr. */
  async start(): Promise<void> {
    this.#serve(await this.#startWorker());
    this.#prepareSpare();
  }

  /** Of the process that takes tasks now. */
  get pid(): number | undefined {
    return this.#serving?.pid;
  }

  /** Lets what runs finish, within the worker's grace time, and ends both processes. */
  async drain(): Promise<void> {
    this.#draining = true;
    const drainSpare = async () => await (await this.#spare?.catch(() => undefined))?.drain();
    await Promise.all([this.#serving?.drain(), drainSpare()]);
    this.#tellEnded();
  }

  #serve(worker: WorkerProcess): void {
    const startedAt = Date.now();
    this.#serving = worker;
    worker.order('serve');
    this.#options.onEvent?.({ type: 'serving', pid: worker.pid });
    worker.exited
      .then((how) => (this.#draining ? undefined : this.#replace(worker, how, Date.now() - startedAt)))
      .catch((error: unknown) => this.#tellEnded(error instanceof Error ? error : new Error(String(error))));
  }

  async #replace(dead: WorkerProcess, how: string, livedMs: number): Promise<void> {
    const diedAt = Date.now();
    const activities = [...dead.running.values()];
    this.#options.onEvent?.({ type: 'died', pid: dead.pid, how, activities: activities.length });
    const reporting = reportLostActivities(
      this.#options.client,
      activities,
      `process ${dead.pid}: ${how}`,
    ).then((count) =>
      this.#options.onEvent?.({
        type: 'reported',
        pid: dead.pid,
        activities: count,
        afterMs: Date.now() - diedAt,
      }),
    );
    if (livedMs < SHORT_LIFE_MS) await setTimeout(CRASH_PAUSE_MS);
    const next = await (this.#spare ?? this.#startWorker()).catch(() => this.#startUntilItWorks());
    if (this.#draining) return await next?.drain();
    if (next) this.#serve(next);
    await reporting;
    this.#prepareSpare();
  }

  /** While the server is down no worker can start; undefined if the supervisor was told to end meanwhile. */
  async #startUntilItWorks(): Promise<WorkerProcess | undefined> {
    while (!this.#draining) {
      const worker = await this.#startWorker().catch(() => undefined);
      if (worker) return worker;
      await setTimeout(CRASH_PAUSE_MS);
    }
    return undefined;
  }

  #prepareSpare(): void {
    this.#spare = this.#startWorker();
    this.#spare.catch(() => undefined);
  }

  async #startWorker(): Promise<WorkerProcess> {
    const { program, args, env = process.env } = this.#options;
    const worker = new WorkerProcess(
      fork(program, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
    );
    await worker.ready;
    return worker;
  }
}

/** One worker process as its supervisor sees it. */
class WorkerProcess {
  readonly pid: number;
  readonly ready: Promise<void>;
  /** How it ended, in words. */
  readonly exited: Promise<string>;
  /** By task token. */
  readonly running = new Map<string, Started>();
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.exited = once(child, 'exit').then(([code, signal]) =>
      signal ? `ended by ${signal}` : `exit code ${code}`,
    );
    this.ready = new Promise((resolve, reject) => {
      child.on('message', (message: WorkerMessage) => {
        if (message.type === 'ready') resolve();
        if (message.type === 'activity_started') this.running.set(message.token, message);
        if (message.type === 'activity_ended') this.#forget(message.token);
      });
      this.exited.then((how) => reject(new Error(`The worker ended before it was ready (${how}).`)), reject);
    });
  }

  /** For a moment more it counts as running: its answer is still on its way to the server. */
  #forget(token: string): void {
    setTimeout(ANSWER_MS, undefined, { ref: false }).then(() => this.running.delete(token));
  }

  order(order: SupervisorOrder): void {
    if (this.#child.connected) this.#child.send(order);
  }

  async drain(): Promise<void> {
    this.order('drain');
    await this.exited;
  }
}
