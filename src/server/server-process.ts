import { type ChildProcess, spawn } from 'node:child_process';
import { open, rename, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { answersAsTemporal } from './grpc-probe.js';
import { portAccepts } from './ports.js';
import { ServerError } from './server-error.js';

/** What makes a development server fast enough. Older servers ignore a key that they don't know. */
const DYNAMIC_CONFIG = [
  // 20 by default, which alone adds 77 ms to each iteration (measured on server 1.32).
  'history.transferProcessorMaxPollRPS=2000',
  // 1 s by default, and timers fire late by that much: a timer of 1 ms took 1,010 ms, and takes 26 with this. So does the
  // pause before an activity's retry. It allows for clocks that differ between hosts, and here there is one host.
  'history.timerProcessorMaxTimeShift="10ms"',
  'history.timerProcessorMaxPollRPS=2000',
];

/**
 * A write-ahead log takes an iteration from 46 ms to 33. It survives a kill of any process; a power failure may cost the
 * last commits, but never the file (sqlite.org, "PRAGMA synchronous").
 */
const SQLITE_PRAGMAS = ['journal_mode=wal', 'synchronous=1'];

const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 25;
const LOG_LINES_SHOWN = 15;
const LOG_READ_BYTES = 256 * 1024;
const LOG_KEPT_BYTES = 8 * 1024 * 1024;

/** Everything that a server process is started with. `uiPort` undefined: no Web UI. Paths are absolute. */
export type ServerProcessPlan = {
  program: string;
  port: number;
  uiPort: number | undefined;
  namespace: string;
  dbFile: string;
  logFile: string;
  /** The folder it runs in. */
  folder: string;
  /** True for a server that goes on when this process ends. */
  detached: boolean;
  env: NodeJS.ProcessEnv;
  /** With the server's own settings instead of those that make it fast. */
  asShipped?: boolean;
};

export type RunningServerProcess = { child: ChildProcess; pid: number };

/**
 * Starts `temporal server start-dev` on 127.0.0.1 and waits, for at most 30 s, until its namespace answers.
 * `onSpawned` runs before the wait, so that a caller killed during it has already noted which process it left behind.
 * @throws ServerError `Server.FailedToStart` with the end of its log; the process is gone by then.
 */
export async function startServerProcess(
  plan: ServerProcessPlan,
  onSpawned: (pid: number) => Promise<void> = async () => {},
): Promise<RunningServerProcess> {
  const { logStart, child } = await spawnServer(plan);
  let ended: string | undefined;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended = signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`;
  });
  if (child.pid !== undefined) await onSpawned(child.pid);
  const address = `127.0.0.1:${plan.port}`;
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (ended !== undefined) throw await failedToStart(plan, ended, logStart);
    const answers =
      (await portAccepts('127.0.0.1', plan.port)) &&
      (await answersAsTemporal(address, { namespace: plan.namespace }));
    if (answers && ended === undefined && child.pid !== undefined) return { child, pid: child.pid };
    await delay(POLL_MS);
  }
  child.kill('SIGKILL');
  throw await failedToStart(plan, `it did not answer within ${READY_TIMEOUT_MS / 1000} seconds`, logStart);
}

async function spawnServer(plan: ServerProcessPlan): Promise<{ child: ChildProcess; logStart: number }> {
  await rotateLog(plan.logFile);
  // Its own file instead of our pipes: a pipe would end the server with its parent, or keep the parent from ending.
  const log = await open(plan.logFile, 'a');
  try {
    const { size } = await log.stat();
    const child = spawn(plan.program, serverArguments(plan), {
      cwd: plan.folder,
      detached: plan.detached,
      env: plan.env,
      stdio: ['ignore', log.fd, log.fd],
    });
    if (plan.detached) child.unref();
    return { child, logStart: size };
  } finally {
    await log.close();
  }
}

function serverArguments(plan: ServerProcessPlan): string[] {
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(plan.port)],
    ...(plan.uiPort === undefined ? ['--headless'] : ['--ui-port', String(plan.uiPort)]),
    ...['--db-filename', plan.dbFile, '--namespace', plan.namespace, '--log-level', 'warn'],
    ...(plan.asShipped ? [] : DYNAMIC_CONFIG).flatMap((value) => ['--dynamic-config-value', value]),
    ...SQLITE_PRAGMAS.flatMap((value) => ['--sqlite-pragma', value]),
  ];
}

/** The log of all starts together, with one predecessor. */
async function rotateLog(logFile: string): Promise<void> {
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_KEPT_BYTES) await rename(logFile, `${logFile}.1`);
}

async function failedToStart(plan: ServerProcessPlan, what: string, logStart: number): Promise<ServerError> {
  const lines = [
    `The Temporal server did not start on 127.0.0.1:${plan.port}: ${what}.`,
    `Program: ${plan.program}`,
    `Data:    ${plan.dbFile}`,
    `Log:     ${plan.logFile}, which ends with:`,
    ...(await logTail(plan.logFile, logStart)).map((line) => `  | ${line}`),
    'If the data are damaged, move that file away: a new one is made, without the turns in it.',
  ];
  return new ServerError('Server.FailedToStart', lines.join('\n'));
}

/** What ended this start, or its last lines: those before byte `from` belong to earlier ones. A crash ends with its stack. */
async function logTail(logFile: string, from: number): Promise<string[]> {
  const log = await open(logFile, 'r');
  try {
    const { size } = await log.stat();
    const start = Math.max(from, size - LOG_READ_BYTES);
    const { buffer, bytesRead } = await log.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.toString('utf8', 0, bytesRead).trim().split('\n');
    const cause = lines.findIndex((line) => /^(?:Error|panic|fatal error):/.test(line));
    return cause < 0 ? lines.slice(-LOG_LINES_SHOWN) : lines.slice(cause, cause + LOG_LINES_SHOWN);
  } finally {
    await log.close();
  }
}
