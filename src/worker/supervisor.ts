import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { reportLostActivities } from './lost-activities.js';
import { WorkerProcess } from './worker-process.js';

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

/** A worker that crashes at once again and again is started with this pause. */
const CRASH_PAUSE_MS = 1000;
const SHORT_LIFE_MS = 2000;

/**
 * Runs a worker in a process of its own, beside a second one that is loaded and connected and takes no task yet. When
 * the first dies, the second takes over at once, and Temporal is told what the dead one was running, so that a crash
 * costs about a second and not a heartbeat timeout.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  /** All that live, whether they serve, wait or start. */
  readonly #processes = new Set<WorkerProcess>();
  #serving: WorkerProcess | undefined;
  #spare: Promise<WorkerProcess> | undefined;
  #draining = false;
  #tellEnded: () => void = () => undefined;
  /** Resolves after `drain`. */
  readonly ended: Promise<void>;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#tellEnded = resolve;
    });
  }

  /** Throws what kept the first worker from starting; it has told the reason on stderr. */
  async start(): Promise<void> {
    try {
      const first = await this.#startWorker();
      if (!this.#draining) this.#serve(first);
    } catch (error) {
      if (!this.#draining) throw error;
    }
  }

  /** Of the process that takes tasks now. */
  get pid(): number | undefined {
    return this.#serving?.pid;
  }

  /** Lets what runs finish, within the worker's grace time, and ends all processes. */
  async drain(): Promise<void> {
    this.#draining = true;
    await Promise.all([...this.#processes].map((process) => process.drain()));
    this.#tellEnded();
  }

  #serve(worker: WorkerProcess): void {
    const startedAt = Date.now();
    this.#serving = worker;
    worker.order('serve');
    this.#options.onEvent?.({ type: 'serving', pid: worker.pid });
    this.#prepareSpare();
    worker.exited
      .then((how) => (this.#draining ? undefined : this.#replace(worker, how, Date.now() - startedAt)))
      .catch(() => undefined);
  }

  async #replace(dead: WorkerProcess, how: string, livedMs: number): Promise<void> {
    this.#report(dead, how).catch(() => undefined);
    if (livedMs < SHORT_LIFE_MS) await setTimeout(CRASH_PAUSE_MS);
    const next = await this.#takeSpare();
    if (next && !this.#draining) this.#serve(next);
  }

  async #report(dead: WorkerProcess, how: string): Promise<void> {
    const { client, onEvent } = this.#options;
    const diedAt = Date.now();
    const running = [...dead.running.values()];
    onEvent?.({ type: 'died', pid: dead.pid, how, activities: running.length });
    const activities = await reportLostActivities(client, running, `process ${dead.pid}: ${how}`);
    onEvent?.({ type: 'reported', pid: dead.pid, activities, afterMs: Date.now() - diedAt });
  }

  /** A worker that is ready and alive. While the server is down none can start: it tries on, until it is to drain. */
  async #takeSpare(): Promise<WorkerProcess | undefined> {
    while (!this.#draining) {
      const spare = this.#spare ?? this.#startWorker();
      this.#spare = undefined;
      const worker = await spare.catch(() => undefined);
      if (worker?.isAlive) return worker;
      if (!worker) await setTimeout(CRASH_PAUSE_MS);
    }
    return undefined;
  }

  /** One that dies while it waits is replaced, too. */
  #prepareSpare(): void {
    if (this.#draining || this.#spare) return;
    const spare = this.#startWorker();
    this.#spare = spare;
    void spare
      .then((worker) => worker.exited)
      .catch(() => undefined)
      .then(async () => {
        if (this.#spare !== spare) return;
        this.#spare = undefined;
        await setTimeout(CRASH_PAUSE_MS);
        this.#prepareSpare();
      });
  }

  async #startWorker(): Promise<WorkerProcess> {
    const { program, args, env = process.env } = this.#options;
    const worker = new WorkerProcess(program, args, env);
    this.#processes.add(worker);
    void worker.exited.then(() => this.#processes.delete(worker));
    await worker.ready;
    return worker;
  }
}
