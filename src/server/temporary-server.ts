import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, PROGRAM_SOURCES } from './find-program.js';
import { freePorts } from './ports.js';
import type { ProgramSource } from './program-source.js';
import { ServerError } from './server-error.js';
import { type RunningServerProcess, type ServerProcessPlan, startServerProcess } from './server-process.js';
import { resolveSettings } from './settings.js';

export type TemporaryServerOptions = {
  /** False: no Web UI. */
  ui?: boolean;
  /** With Temporal's own settings, as others start it, instead of those that make it fast. */
  asShipped?: boolean;
  cacheDir?: string;
  env?: NodeJS.ProcessEnv;
  onProgress?: (line: string) => void;
  sources?: readonly ProgramSource[];
};

/** A server of one test or bench, on ports and data of its own, that ends with this process. */
export type TemporaryServer = {
  /** host:port of the gRPC endpoint; the same after a restart. */
  readonly address: string;
  readonly namespace: string;
  readonly uiUrl: string | undefined;
  /** Where it keeps its database, `temporal.db`. */
  readonly folder: string;
  /** Of the present process: another one after a restart. */
  readonly pid: number;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash: the data stay, for `restart`. */
  kill(): void;
  /** Starts it again, on the same ports and data; ends it first where it runs. */
  restart(): Promise<void>;
};

/** Ports are free when chosen, and may be gone when bound: other tests choose theirs at the same time. */
const PORT_ATTEMPTS = 3;

/**
 * Starts a Temporal server for a test: 127.0.0.1, free ports, SQLite in a temporary folder.
 * @throws ServerError `Server.NotFound` or `Server.FailedToStart`
 */
export async function startTemporaryServer(options: TemporaryServerOptions = {}): Promise<TemporaryServer> {
  const env = options.env ?? process.env;
  const { cacheDir } = resolveSettings(options);
  const onProgress = options.onProgress ?? (() => {});
  const program = await findProgram({ env, cacheDir, onProgress }, options.sources ?? PROGRAM_SOURCES);
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-temporal-'));
  try {
    return await startOnFreePorts(program, folder, { ui: true, ...options }, env);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startOnFreePorts(
  program: string,
  folder: string,
  { ui, asShipped = false }: TemporaryServerOptions,
  env: NodeJS.ProcessEnv,
): Promise<TemporaryServer> {
  for (let attempt = 1; ; attempt += 1) {
    const [port = 0, uiPort = 0] = await freePorts(2);
    const plan: ServerProcessPlan = {
      ...{
        program,
        port,
        uiPort: ui ? uiPort : undefined,
        namespace: 'default',
        folder,
        detached: false,
        env,
        asShipped,
      },
      ...{ dbFile: join(folder, 'temporal.db'), logFile: join(folder, 'temporal.log') },
    };
    try {
      return temporaryServer(plan, guard(await startServerProcess(plan), folder));
    } catch (error) {
      const lostPort = error instanceof ServerError && error.message.includes('address already in use');
      if (!lostPort || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

function temporaryServer(plan: ServerProcessPlan, first: RunningServerProcess): TemporaryServer {
  let current = first;
  const end = async (): Promise<void> => {
    const { child } = current;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  return {
    address: `127.0.0.1:${plan.port}`,
    namespace: plan.namespace,
    uiUrl: plan.uiPort === undefined ? undefined : `http://127.0.0.1:${plan.uiPort}`,
    folder: plan.folder,
    get pid() {
      return current.pid;
    },
    kill() {
      current.child.kill('SIGKILL');
    },
    async restart() {
      await end();
      current = guard(await startServerProcess(plan), plan.folder);
    },
    async stop() {
      await end();
      await rm(plan.folder, { recursive: true, force: true });
    },
  };
}

/**
 * Ends the server and removes its data when this process ends, however it ends: a small shell waits for the end of its
 * input, which the system closes with us even at a SIGKILL. The shell ends with the server, so it never kills a stranger.
 */
function guard(server: RunningServerProcess, folder: string): RunningServerProcess {
  const { child, pid } = server;
  child.unref();
  if (process.platform === 'win32') {
    process.once('exit', () => child.kill());
    return server;
  }
  const watcher = spawn('sh', ['-c', 'read _; kill -9 "$0"; rm -rf "$1"', String(pid), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  unrefWatcher(watcher);
  child.once('exit', () => watcher.kill('SIGKILL'));
  return server;
}

/** The watcher must not keep this process from ending, since that end is what it waits for. */
function unrefWatcher(watcher: ChildProcess): void {
  watcher.unref();
  const input = watcher.stdin;
  if (input !== null && 'unref' in input && typeof input.unref === 'function') input.unref();
}
