// Runs what docker-compose.yml runs, without Docker: PostgreSQL, the Temporal server with the file's own settings and
// scripts, and `holdfast worker`. Measures a turn with and without deploy/dynamic-config.yaml, kills the worker in the
// middle of one, and restarts the server in the middle of another. Figures of it are in docs/deploy.md. It needs:
//
//   PostgreSQL's programs (Debian: postgresql; PG_BIN names another folder than that of pg_config)
//   GOBIN=/somewhere go install go.temporal.io/server/cmd/server@v1.31.1 go.temporal.io/server/cmd/tools/sql@v1.31.1
//   npm run build && node scripts/compose-parts.mjs /somewhere
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AgentClient } from '../dist/client.js';
import { findProgram } from '../dist/server/find-program.js';
import { freePorts } from '../dist/server/ports.js';
import { resolveSettings } from '../dist/server/settings.js';
import {
  end,
  endAll,
  folder,
  log,
  serverEnvironment,
  start,
  startPostgres,
  succeeds,
  until,
} from './compose-parts-processes.mjs';

const QUICK_RUNS = 3;
const KILLS = 6;
const [, , goBin] = process.argv;
if (!goBin)
  throw new Error('Name the folder that `go install` has put the programs `server` and `sql` into.');
const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'dist/cli/main.js');
process.exitCode = 1;

async function startServer(env, address) {
  const begun = Date.now();
  const child = start(resolve(goBin, 'server'), ['start'], { env });
  const health = ['operator', 'cluster', 'health', '--address', address];
  await until(() => child.exitCode === null && succeeds(temporal, health));
  return { child, readyMs: Date.now() - begun };
}

/** Times at which the turn's tools ended, as they come. */
async function watch(turn) {
  const ended = [];
  for await (const event of turn.events()) if (event.type === 'tool_finished') ended.push(performance.now());
  return ended;
}

/** From the event, in the middle of a tool call of 300 ms, until the next call has ended; it is the same one, or its retry. */
async function recovery(client, what) {
  const logged = () => readFileSync(join(folder, 'log'), 'utf8');
  const before = logged().length;
  const turn = await client.start('steps', 'Go through the steps.');
  const watched = watch(turn);
  const begun = () => /step 11 begun in (\d+)/.exec(logged().slice(before))?.[1];
  await until(begun);
  await delay(100);
  const happened = performance.now();
  await what(Number(begun()));
  const next = (await watched).find((time) => time > happened) ?? Number.NaN;
  const { type, text, iterations } = await turn.result();
  return { nextStepMs: Math.round(next - happened), outcome: `${type}, ${iterations} iterations, "${text}"` };
}

/** Of one turn alone whose model and tools take no time, once the server's allowance for bursts is used up. */
async function iterationMs(client) {
  const turn = await client.start('quick', 'Go through the steps.');
  const ended = await watch(turn);
  return Math.round((ended.at(-1) - ended[19]) / (ended.length - 20));
}

async function quickRuns(client) {
  const runs = [];
  for (let time = 1; time <= QUICK_RUNS; time += 1) runs.push(await iterationMs(client));
  return runs;
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
  await until(() => succeeds(temporal, ['workflow', 'count', '--address', address]));
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

  const kill = async (pid) => process.kill(pid, 'SIGKILL');
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
await endAll();
if (process.exitCode === 0 && !process.env.KEEP_LOG) rmSync(folder, { recursive: true, force: true });
process.exit();
