// Runs what docker-compose.yml runs, without Docker: PostgreSQL, the Temporal server with the file's own settings and
// scripts, and `holdfast worker`. Measures a turn with and without deploy/dynamic-config.yaml, kills the worker in the
// middle of one, and restarts the server in the middle of another. Figures of it are in docs/deploy.md. It needs:
//
//   PostgreSQL's programs (Debian: postgresql; PG_BIN names another folder than that of pg_config)
//   GOBIN=/somewhere go install go.temporal.io/server/cmd/server@v1.31.1 go.temporal.io/server/cmd/tools/sql@v1.31.1
//   npm run build && node scripts/compose-parts.mjs /somewhere
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AgentClient } from '../dist/client.js';
import { findProgram } from '../dist/server/find-program.js';
import { freePorts, listeningHost } from '../dist/server/ports.js';
import { resolveSettings } from '../dist/server/settings.js';

const QUICK_RUNS = 3;
const KILLS = 4;
const [, , goBin] = process.argv;
if (!goBin)
  throw new Error('Name the folder that `go install` has put the programs `server` and `sql` into.');
const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'holdfast-parts-'));
chmodSync(folder, 0o755);
process.exitCode = 1;
const log = openSync(join(folder, 'log'), 'a');
const started = new Set();

function start(program, args, options = {}) {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', log, log], ...options });
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

async function end(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

/** PostgreSQL refuses to run as root. */
function databaseUser() {
  if (process.getuid?.() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function startPostgres(port) {
  const bin =
    process.env.PG_BIN ?? execFileSync('sh', ['-c', 'pg_config --bindir'], { encoding: 'utf8' }).trim();
  const user = databaseUser();
  const data = join(folder, 'postgresql');
  execFileSync('mkdir', [data]);
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const run = { ...user, cwd: data, stdio: ['ignore', log, log] };
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'temporal', '--auth', 'trust'], run);
  const args = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-k', data];
  const child = start(join(bin, 'postgres'), args, run);
  await until(() => run0(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'temporal']));
  return child;
}

function run0(program, args, env = process.env) {
  try {
    execFileSync(program, args, { env, stdio: ['ignore', log, log] });
    return true;
  } catch {
    return false;
  }
}

async function until(isSo) {
  const deadline = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('It takes too long.');
    await delay(50);
  }
}

/** As the service `temporal` of docker-compose.yml, but for ports, since other servers may run here. */
async function serverEnvironment(databasePort) {
  const names = [
    'FRONTEND_GRPC',
    'FRONTEND_MEMBERSHIP',
    'FRONTEND_HTTP',
    'MATCHING_GRPC',
    'MATCHING_MEMBERSHIP',
  ];
  names.push('HISTORY_GRPC', 'HISTORY_MEMBERSHIP', 'WORKER_GRPC', 'WORKER_MEMBERSHIP');
  const ports = await smallPorts(names.length);
  return {
    PATH: process.env.PATH,
    ...{ DB: 'postgres12', DB_PORT: String(databasePort), POSTGRES_SEEDS: '127.0.0.1' },
    ...{ POSTGRES_USER: 'temporal', POSTGRES_PWD: 'temporal', BIND_ON_IP: '127.0.0.1' },
    ...{ LOG_LEVEL: 'warn', NUM_HISTORY_SHARDS: '4' },
    ...Object.fromEntries(names.map((name, index) => [`${name}_PORT`, String(ports[index])])),
  };
}

/** Temporal keeps its members' ports in a column that holds 32767 at most. */
async function smallPorts(count) {
  const ports = [];
  for (let port = 21_000; ports.length < count; port += 1)
    if ((await listeningHost(port)) === undefined) ports.push(port);
  return ports;
}

async function startServer(env, address) {
  const begun = Date.now();
  const child = start(resolve(goBin, 'server'), ['start'], { env });
  const health = ['operator', 'cluster', 'health', '--address', address];
  await until(() => child.exitCode === null && run0(temporal, health));
  return { child, readyMs: Date.now() - begun };
}

/** Times at which the turn's tools ended, as they come; `at` is called once at that step. */
async function watch(turn, steps, at) {
  const ended = [];
  for await (const event of turn.events()) {
    if (event.type !== 'tool_finished') continue;
    ended.push(performance.now());
    if (ended.length === steps) at().catch(console.error);
  }
  return ended;
}

/** From the event until the next tool call has ended. */
async function recovery(client, what) {
  const turn = await client.start('steps', 'Go through the steps.');
  let happened = 0;
  const ended = await watch(turn, 12, async () => {
    // In the middle of the next tool call, which takes 200 ms.
    await delay(100);
    happened = performance.now();
    await what();
  });
  const next = ended.find((time) => time > happened) ?? Number.NaN;
  const { type, text, iterations } = await turn.result();
  const outcome = `${type}, ${iterations} iterations, "${text}"`;
  return { nextStepMs: Math.round(next - happened), outcome };
}

/** Of one turn alone whose model and tools take no time, once the server's allowance for bursts is used up. */
async function iterationMs(client) {
  const turn = await client.start('quick', 'Go through the steps.');
  const ended = await watch(turn, 0, async () => {});
  return Math.round((ended.at(-1) - ended[19]) / (ended.length - 20));
}

async function quickRuns(client) {
  const runs = [];
  for (let time = 1; time <= QUICK_RUNS; time += 1) runs.push(await iterationMs(client));
  return runs;
}

/** Of the process that the supervisor has named last. */
function servingPid() {
  return Number([...readFileSync(join(folder, 'log'), 'utf8').matchAll(/worker (\d+) serves/g)].at(-1)[1]);
}

function serverSpeed(env) {
  const said = execFileSync(process.execPath, [cli, 'doctor', '--server-speed', '--json'], {
    env,
    encoding: 'utf8',
  });
  return JSON.parse(said).checks[0].data;
}

const temporal = await findProgram({
  env: process.env,
  cacheDir: resolveSettings({}).cacheDir,
  onProgress: console.log,
});
try {
  const [databasePort] = await freePorts(1);
  await startPostgres(databasePort);
  symlinkSync(resolve(goBin, 'sql'), join(folder, 'temporal-sql-tool'));
  symlinkSync(temporal, join(folder, 'temporal'));
  const path = `${folder}:${process.env.PATH}`;
  const sql = {
    SQL_PLUGIN: 'postgres12',
    SQL_HOST: '127.0.0.1',
    SQL_PORT: String(databasePort),
    SQL_USER: 'temporal',
  };
  const script = (name, env) => {
    const begun = Date.now();
    execFileSync('sh', [join(root, 'deploy', name)], { env, stdio: ['ignore', log, log] });
    return Date.now() - begun;
  };
  const setUp = () => script('setup-schema.sh', { PATH: path, ...sql, SQL_PASSWORD: 'temporal' });
  const [schemaMs, schemaAgainMs] = [setUp(), setUp()];
  console.log(JSON.stringify({ schemaMs, schemaAgainMs }));

  const common = await serverEnvironment(databasePort);
  const address = `127.0.0.1:${common.FRONTEND_GRPC_PORT}`;
  const env = { ...process.env, TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: 'default' };
  const namespace = () => script('setup-namespace.sh', { ...env, PATH: path, RETENTION: '7d' });
  const plain = await startServer({ ...common, DYNAMIC_CONFIG_FILE_PATH: '/dev/null' }, address);
  namespace();
  namespace();
  // The namespace is known to all parts of the server some seconds after it was made.
  await until(() => run0(temporal, ['workflow', 'count', '--address', address]));
  await delay(10_000);
  const worker = start(process.execPath, [cli, 'worker', join(root, 'scripts/compose-parts-agent.mjs')], {
    env,
  });
  const client = await AgentClient.connect({ address });
  console.log(JSON.stringify({ dynamicConfig: false, iterationMs: await quickRuns(client) }));
  console.log(JSON.stringify({ doctor: serverSpeed(env) }));
  await end(plain.child);

  const tunedEnv = { ...common, DYNAMIC_CONFIG_FILE_PATH: join(root, 'deploy/dynamic-config.yaml') };
  let server = await startServer(tunedEnv, address);
  console.log(JSON.stringify({ serverReadyMs: server.readyMs }));
  console.log(JSON.stringify({ dynamicConfig: true, iterationMs: await quickRuns(client) }));
  console.log(JSON.stringify({ doctor: serverSpeed(env) }));

  const kill = async () => process.kill(servingPid(), 'SIGKILL');
  for (let time = 1; time <= KILLS; time += 1)
    console.log(JSON.stringify({ killedWorker: await recovery(client, kill) }));
  let downMs = 0;
  const restarted = await recovery(client, async () => {
    const begun = Date.now();
    await end(server.child);
    server = await startServer(tunedEnv, address);
    downMs = Date.now() - begun;
  });
  console.log(JSON.stringify({ restartedServer: { ...restarted, downMs } }));
  const begun = Date.now();
  await end(worker);
  console.log(JSON.stringify({ drainedWorker: { ms: Date.now() - begun, exitCode: worker.exitCode } }));
  await client.close();
  process.exitCode = 0;
} catch (error) {
  console.error(error);
  console.error(`What the programs said is in ${folder}/log`);
}
await Promise.all([...started].reverse().map((child) => end(child, 'SIGKILL')));
if (process.exitCode === 0 && !process.env.KEEP_LOG) rmSync(folder, { recursive: true, force: true });
process.exit();
