import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentClient, type StartOptions } from '../../src/client/agent-client.js';
import type { SessionHandle } from '../../src/client/session-handle.js';
import { Ledger } from '../../src/demo/ledger.js';
import { type Script, type ServedModel, serveScriptedModel } from '../../src/testing/index.js';
import { Supervisor, type SupervisorEvent } from '../../src/worker/supervisor.js';
import { CrashTurn } from './crash-turn.js';
import { ScriptByPrompt } from './script-by-prompt.js';

const program = fileURLToPath(new URL('./worker-program.mjs', import.meta.url));

export type WorkerPlan = {
  /** Where it connects to; default the Temporal server itself. */
  address?: string;
  taskQueue?: string;
  /** How long it lets its tools run when it is told to end; default 200 ms. */
  graceTime?: string;
  worker?: { maxConcurrentActivityTaskExecutions: number };
};

/** A worker in a process of its own. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly exited: Promise<unknown>;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.exited = once(child, 'exit');
  }

  async signal(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.#child.kill(signal);
    if (signal === 'SIGKILL') await this.exited;
  }
}

/**
 * Where a test crashes things: a provider that refuses what real ones refuse, a ledger of what tools really did, and
 * workers of their own to kill.
 */
export class CrashPlace {
  readonly client: AgentClient;
  readonly provider: ServedModel;
  readonly #scripts: ScriptByPrompt;
  readonly #folder: string;
  readonly #plan: { address: string; taskQueue: string; ledger: string; release: string; pids: string };
  readonly #supervisors: Supervisor[] = [];

  private constructor(client: AgentClient, provider: ServedModel, scripts: ScriptByPrompt, address: string) {
    this.client = client;
    this.provider = provider;
    this.#scripts = scripts;
    this.#folder = mkdtempSync(join(tmpdir(), 'holdfast-crash-'));
    const inFolder = (name: string) => join(this.#folder, name);
    this.#plan = {
      address,
      taskQueue: `crash-${randomUUID()}`,
      ledger: inFolder('ledger.jsonl'),
      release: inFolder('release'),
      pids: inFolder('pids'),
    };
  }

  /** On the server that all tests share, or on the one at `address`. */
  static async open(address = process.env['TEMPORAL_ADDRESS'] ?? ''): Promise<CrashPlace> {
    const scripts = new ScriptByPrompt();
    const provider = await serveScriptedModel(scripts.script, { pieceDelayMs: 5 });
    return new CrashPlace(await AgentClient.connect({ address }), provider, scripts, address);
  }

  /** Starts a turn of this script. */
  async start(script: Script, options: StartOptions = {}): Promise<CrashTurn> {
    const prompt = this.#scripts.add(script);
    const turn = await this.client.start('crashing', prompt, {
      taskQueue: this.#plan.taskQueue,
      turnId: prompt,
      ...options,
    });
    return new CrashTurn(turn, this, new Ledger(this.#plan.ledger), `${this.#plan.release}-${prompt}`);
  }

  /** A session whose turns go by this script, one after the other, and its first turn. */
  async session(script: Script): Promise<{ session: SessionHandle; turn: CrashTurn }> {
    const prompt = this.#scripts.add(script);
    const session = this.client.session(prompt, { taskQueue: this.#plan.taskQueue });
    const turn = await session.send('crashing', prompt);
    return {
      session,
      turn: new CrashTurn(turn, this, new Ledger(this.#plan.ledger), `${this.#plan.release}-${prompt}`),
    };
  }

  /** What a sub-agent is to be asked, so that it goes by the script. */
  prompt(script: Script): string {
    return this.#scripts.add(script);
  }

  /** Starts a worker and waits until it takes tasks. */
  async worker(plan: WorkerPlan = {}): Promise<WorkerProcess> {
    const child = spawn(process.execPath, [program, this.#argument(plan)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    return new WorkerProcess(child);
  }

  /** Starts a worker and a spare one. `kill` kills the one that takes tasks. */
  async supervised(
    plan: WorkerPlan = {},
  ): Promise<{ kill(): void; drain(): Promise<void>; events: SupervisorEvent[] }> {
    const events: SupervisorEvent[] = [];
    const supervisor = new Supervisor({
      program,
      args: [this.#argument({ ...plan, supervised: true })],
      client: this.client.client,
      onEvent: (event) => events.push(event),
    });
    this.#supervisors.push(supervisor);
    await supervisor.start();
    return { events, kill: () => killIfAlive(supervisor.pid ?? 0), drain: () => supervisor.drain() };
  }

  async close(): Promise<void> {
    await Promise.all(this.#supervisors.map((supervisor) => supervisor.drain()));
    const pids = existsSync(this.#plan.pids) ? readFileSync(this.#plan.pids, 'utf8').trim().split('\n') : [];
    for (const pid of pids) killIfAlive(Number(pid));
    await Promise.all([this.provider.close(), this.client.close()]);
    rmSync(this.#folder, { recursive: true });
  }

  #argument(plan: object): string {
    return JSON.stringify({ ...this.#plan, provider: this.provider.url, graceTime: '200ms', ...plan });
  }
}

function killIfAlive(pid: number): void {
  try {
    if (pid > 0) process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
