import { mkdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { findProgram, PROGRAM_SOURCES } from './find-program.js';
import { answersAsTemporal, answersAsWebUi } from './grpc-probe.js';
import { listeningHost } from './ports.js';
import type { ProgramSource } from './program-source.js';
import { ServerError } from './server-error.js';
import { startServerProcess } from './server-process.js';
import {
  databaseFile,
  isOurServer,
  liveServerRecord,
  logFile,
  removeServerRecord,
  type ServerRecord,
  writeServerRecord,
} from './server-record.js';
import { resolveSettings, type ServerSettings, type SettingsOptions } from './settings.js';
import { withStartLock } from './start-lock.js';

/** A Temporal server that answers, except with `source: 'TEMPORAL_ADDRESS'`, which is taken at its word. */
export type TemporalServer = {
  /** host:port of the gRPC endpoint. */
  address: string;
  namespace: string;
  uiUrl: string | undefined;
  /** Where it came from: named by the user, found answering, or started by this call. */
  source: 'TEMPORAL_ADDRESS' | 'running' | 'started';
  /** Only of a server that we started, now or before. */
  pid?: number;
};

export type EnsureServerOptions = SettingsOptions & {
  /** host:port of a server to use as it is; wins over TEMPORAL_ADDRESS. */
  address?: string;
  /** Told in one line what is being waited for. */
  onProgress?: (line: string) => void;
  /** Where the Temporal program may come from, in order. */
  sources?: readonly ProgramSource[];
};

/** A port that is open gets this long to answer as Temporal: a server that is just starting, or on a busy machine. */
const ANSWER_TIMEOUT_MS = 1_500;
const ABANDONED_START_TIMEOUT_MS = 10_000;
const STOP_TIMEOUT_MS = 10_000;

/**
 * A Temporal server to use: the one that TEMPORAL_ADDRESS or a profile names, else one that answers on this machine, else one started
 * here, which goes on after this process and keeps its data in a SQLite file of the data folder.
 * @throws ServerError `Server.PortTaken`, `Server.NotFound`, `Server.FailedToStart`, `Server.DataInUse`,
 * `Server.StartTimedOut` or `Server.BadSetting`
 */
export async function ensureServer(options: EnsureServerOptions = {}): Promise<TemporalServer> {
  const found = await findServer(options);
  if (found !== undefined) return found;
  const env = options.env ?? process.env;
  const settings = resolveSettings(options);
  const onProgress = options.onProgress ?? (() => {});
  await mkdir(settings.dataDir, { recursive: true });
  const onWait = (): void => onProgress('Waiting for another process that is starting the Temporal server');
  return withStartLock(settings.dataDir, onWait, async () => {
    const startedMeanwhile = (await findRunning(settings)) ?? (await awaitAbandonedStart(settings));
    if (startedMeanwhile !== undefined) return startedMeanwhile;
    await refuseTakenPorts(settings);
    const sources = options.sources ?? PROGRAM_SOURCES;
    const program = await findProgram({ env, cacheDir: settings.cacheDir, onProgress }, sources);
    onProgress('Starting the Temporal server');
    return startDetached(settings, program, env);
  });
}

/**
 * As {@link ensureServer}, and starts none: undefined where none answers.
 * @throws ServerError `Server.BadSetting`
 */
export async function findServer(options: EnsureServerOptions = {}): Promise<TemporalServer | undefined> {
  const env = options.env ?? process.env;
  const profile = await namedByProfile(env);
  const address = options.address ?? profile.address;
  if (!address) return await findRunning(resolveSettings(options));
  const namespace = profile.namespace || 'default';
  return { address, namespace, uiUrl: env['TEMPORAL_UI_URL'] || undefined, source: 'TEMPORAL_ADDRESS' };
}

/** By TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE, else by a profile of Temporal's configuration file, as clients are. */
async function namedByProfile(
  env: NodeJS.ProcessEnv,
): Promise<{ address: string | undefined; namespace: string | undefined }> {
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const { connectionOptions, namespace } = loadClientConnectConfig({
    overrideEnvVars: Object.fromEntries(set),
  });
  return { address: connectionOptions.address, namespace };
}

/** A server at the port, whoever started it; else ours at another port, where no port was asked for. */
async function findRunning(settings: ServerSettings): Promise<TemporalServer | undefined> {
  const { port, uiPort, namespace } = settings;
  const host = await listeningHost(port);
  const address = host === undefined ? undefined : `${host}:${port}`;
  const record = await liveServerRecord(settings.dataDir);
  if (address !== undefined && (await answersAsTemporal(address, { deadlineMs: ANSWER_TIMEOUT_MS }))) {
    if (record?.address === address) return asRunning(record, namespace);
    const uiUrl = `http://localhost:${uiPort}`;
    const hasUi = await answersAsWebUi(uiUrl);
    return { address, namespace, uiUrl: hasUi ? uiUrl : undefined, source: 'running' };
  }
  if (record === undefined || settings.portWasAsked || record.address === address) return undefined;
  return (await answersAsTemporal(record.address, { deadlineMs: ANSWER_TIMEOUT_MS }))
    ? asRunning(record, namespace)
    : undefined;
}

function asRunning({ address, uiUrl, pid }: ServerRecord, namespace: string): TemporalServer {
  return { address, namespace, uiUrl, source: 'running', pid };
}

/** A server whose starter was killed during the start comes up all the same. Call under the start lock. */
async function awaitAbandonedStart(settings: ServerSettings): Promise<TemporalServer | undefined> {
  const deadline = Date.now() + ABANDONED_START_TIMEOUT_MS;
  const address = `127.0.0.1:${settings.port}`;
  while ((await liveServerRecord(settings.dataDir))?.address === address && Date.now() < deadline) {
    const running = await findRunning(settings);
    if (running !== undefined) return running;
    await delay(50);
  }
  return undefined;
}

async function refuseTakenPorts({ port, uiPort, dataDir }: ServerSettings): Promise<void> {
  const record = await liveServerRecord(dataDir);
  if (record !== undefined) {
    throw new ServerError(
      'Server.DataInUse',
      `Our Temporal server (process ${record.pid}, ${record.address}) uses the data in ${dataDir}. ` +
        'Use that one by leaving the port out, stop it (also if it hangs), or name another folder by HOLDFAST_STATE_DIR.',
    );
  }
  if ((await listeningHost(port)) !== undefined) throw portTaken(port, 'HOLDFAST_PORT', 'Temporal');
  if ((await listeningHost(uiPort)) !== undefined)
    throw portTaken(uiPort, 'HOLDFAST_UI_PORT', "Temporal's Web UI");
}

export function portTaken(port: number, variable: string, wanted: string): ServerError {
  return new ServerError(
    'Server.PortTaken',
    `Port ${port}, which ${wanted} needs, is taken by a program that does not answer as a Temporal server. ` +
      `End that program (find it by: lsof -i :${port}), set ${variable} to a free port, ` +
      'or set TEMPORAL_ADDRESS to a Temporal server that runs elsewhere.',
  );
}

async function startDetached(
  settings: ServerSettings,
  program: string,
  env: NodeJS.ProcessEnv,
): Promise<TemporalServer> {
  const { port, uiPort, namespace, dataDir } = settings;
  const started = { address: `127.0.0.1:${port}`, uiUrl: `http://localhost:${uiPort}`, program };
  try {
    const { pid } = await startServerProcess(
      {
        ...{ program, port, uiPort, namespace, env },
        ...{ dbFile: databaseFile(dataDir), logFile: logFile(dataDir), folder: dataDir, detached: true },
      },
      (pid) => writeServerRecord(dataDir, { ...started, pid, startedAt: new Date().toISOString() }),
    );
    return { address: started.address, namespace, uiUrl: started.uiUrl, source: 'started', pid };
  } catch (error) {
    await removeServerRecord(dataDir);
    throw error;
  }
}

/** The server that we started on a data folder. `silent`: its process is alive, and does not answer. */
export type ServerStatus =
  | { state: 'stopped'; dataDir: string }
  | ({ state: 'running' | 'silent'; dataDir: string; logFile: string } & ServerRecord);

/** What became of the server that we started; says nothing about other Temporal servers. */
export async function serverStatus(options: SettingsOptions = {}): Promise<ServerStatus> {
  const { dataDir } = resolveSettings(options);
  const record = await liveServerRecord(dataDir);
  if (record === undefined) return { state: 'stopped', dataDir };
  const answers = await answersAsTemporal(record.address, { deadlineMs: ANSWER_TIMEOUT_MS });
  return { state: answers ? 'running' : 'silent', dataDir, logFile: logFile(dataDir), ...record };
}

/**
 * Stops the server that we started on this data folder, and no other; its data stay. Asks it to end, and after 10 s
 * ends it. Returns the id of the process that was stopped, undefined where none ran.
 */
export async function stopServer(options: SettingsOptions = {}): Promise<{ stoppedPid: number | undefined }> {
  const { dataDir } = resolveSettings(options);
  const record = await liveServerRecord(dataDir);
  if (record !== undefined) {
    process.kill(record.pid, 'SIGTERM');
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while ((await isOurServer(record.pid, dataDir)) && Date.now() < deadline) await delay(25);
    if (await isOurServer(record.pid, dataDir)) process.kill(record.pid, 'SIGKILL');
  }
  await removeServerRecord(dataDir);
  return { stoppedPid: record?.pid };
}
