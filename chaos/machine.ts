import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SupervisorEvent } from '../dist/worker/supervisor.js';
import type { WorkerConfig } from './worker.js';

const PROGRAM = fileURLToPath(new URL('./supervise.js', import.meta.url));
const RESTART_PAUSE_MS = 500;
/** Where none has ever served, so many failed starts are no outage. */
const MOST_FAILED_STARTS = 3;
const POLL_MS = 10;

/** A supervisor's process and its workers, which is started again whenever it has ended, until it is closed. */
export class Machine {
  /** Supervisors that ended without having been told to. */
  gaveUp = 0;
  readonly #program: string;
  readonly #config: WorkerConfig;
  readonly #onEvent: (event: SupervisorEvent) => void;
  #child: ChildProcess | undefined;
  #serving: { pid: number; since: number } | undefined;
  /** Supervisors that are to end. */
  readonly #leaving = new Set<ChildProcess>();
  #hasServed = false;
  #failedStarts = 0;
  #closed = false;

  constructor(config: WorkerConfig, onEvent: (event: SupervisorEvent) => void, program = PROGRAM) {
    this.#program = program;
    this.#config = config;
    this.#onEvent = onEvent;
    this.#start();
  }

  /** Of the worker that takes tasks now, or undefined where there is none. */
  get pid(): number | undefined {
    return this.#serving?.pid;
  }

  /** Of a worker that has served for `ms` by now. */
  servingFor(ms: number): number | undefined {
    return this.#serving && Date.now() - this.#serving.since >= ms ? this.pid : undefined;
  }

  /**
   * Resolves with the pid of a worker that has served for `forMs`, or after `withinMs` with that of any that serves.
   * Throws where no worker of it ever came to serve; what they said is on stderr.
   */
  async serving(withinMs: number, forMs = 0): Promise<number | undefined> {
    const until = Date.now() + withinMs;
    while (this.servingFor(forMs) === undefined && Date.now() < until) {
      if (this.#gaveUpStarting) throw cannotStart(`${this.#failedStarts} starts in a row failed`);
      await setTimeout(POLL_MS);
    }
    if (!this.#hasServed) throw cannotStart(`none served within ${withinMs} ms`);
    return this.pid;
  }

  /** SIGKILL to the worker that serves. */
  kill(): void {
    if (this.pid !== undefined) process.kill(this.pid, 'SIGKILL');
    this.#serving = undefined;
  }

  /** As when the power fails: the supervisor goes first, so that it can tell nobody. */
  killAll(): void {
    this.killSupervisor();
    this.kill();
  }

  /** SIGKILL to the supervisor alone. */
  killSupervisor(): void {
    if (this.#child) this.#leaving.add(this.#child);
    this.#child?.kill('SIGKILL');
  }

  /** As a new release does: SIGTERM to the supervisor, which drains its workers and ends, and a new one beside it. */
  drain(): void {
    this.#leave();
    this.#start();
  }

  /** Drains it for good. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#leave();
    await Promise.all([...this.#leaving].map((child) => once(child, 'exit')));
  }

  get #gaveUpStarting(): boolean {
    return !this.#hasServed && this.#failedStarts >= MOST_FAILED_STARTS;
  }

  #leave(): void {
    this.#serving = undefined;
    if (this.#child) this.#leaving.add(this.#child);
    this.#child?.kill('SIGTERM');
    this.#child = undefined;
  }

  #start(): void {
    const child = fork(this.#program, [JSON.stringify(this.#config)], {
      // What the SDK's core logs must not come between the lines of the verdict.
      stdio: ['ignore', process.stderr.fd, 'inherit', 'ipc'],
    });
    this.#child = child;
    child.on('message', (event: SupervisorEvent) => {
      this.#onEvent(event);
      if (event.type === 'serving' && child === this.#child) {
        this.#hasServed = true;
        this.#serving = { pid: event.pid, since: Date.now() };
      }
      if (event.type === 'died' && event.pid === this.pid) this.#serving = undefined;
    });
    child.once('exit', () => {
      if (!this.#leaving.delete(child)) {
        this.gaveUp += 1;
        this.#failedStarts += 1;
      }
      if (child !== this.#child) return;
      this.#child = undefined;
      this.#serving = undefined;
      this.#restart();
    });
  }

  #restart(): void {
    setTimeout(RESTART_PAUSE_MS).then(
      () => this.#closed || this.#gaveUpStarting || this.#start(),
      () => undefined,
    );
  }
}

function cannotStart(why: string): Error {
  return new Error(`The chaos worker can not start: ${why}. What it said is above.`);
}
