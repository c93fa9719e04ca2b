import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { StartedActivity } from './activity-reports.js';
import type { SupervisorOrder, WorkerMessage } from './supervised-process.js';

/** What an activity's answer takes to reach the server, with room. */
const ANSWER_MS = 1000;

/** One worker process as its supervisor sees it. */
export class WorkerProcess {
  readonly pid: number;
  /** Rejects where the process ends before. */
  readonly ready: Promise<void>;
  /** How it ended, in words. */
  readonly exited: Promise<string>;
  /** By task token: what it runs, and what it ended so lately that its answer may not have arrived. */
  readonly running = new Map<string, StartedActivity>();
  readonly #child: ChildProcess;

  constructor(program: string, args: string[], env: NodeJS.ProcessEnv) {
    const child = fork(program, args, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
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

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  order(order: SupervisorOrder): void {
    if (this.#child.connected) this.#child.send(order, () => undefined);
  }

  /** Resolves when the process has ended. */
  async drain(): Promise<void> {
    this.order('drain');
    await this.exited;
  }

  #forget(token: string): void {
    setTimeout(ANSWER_MS, undefined, { ref: false }).then(() => this.running.delete(token));
  }
}
