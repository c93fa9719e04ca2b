// The processes of compose-parts.mjs, all in one temporary folder with one log.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listeningHost } from '../dist/server/ports.js';

export const folder = mkdtempSync(join(tmpdir(), 'holdfast-parts-'));
chmodSync(folder, 0o755);
export const log = openSync(join(folder, 'log'), 'a');
const started = new Set();

export function start(program, args, options = {}) {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', log, log], ...options });
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

export async function end(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, 'exit');
}

export async function endAll() {
  await Promise.all([...started].reverse().map((child) => end(child, 'SIGKILL')));
}

/** PostgreSQL refuses to run as root. */
function databaseUser() {
  if (process.getuid?.() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export async function startPostgres(port) {
  const bin =
    process.env.PG_BIN ?? execFileSync('sh', ['-c', 'pg_config --bindir'], { encoding: 'utf8' }).trim();
  const user = databaseUser();
  const data = join(folder, 'postgresql');
  mkdirSync(data);
  if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
  const run = { ...user, cwd: data, stdio: ['ignore', log, log] };
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, 'temporal');
  const auth = ['-U', 'temporal', '--auth', 'scram-sha-256', '--pwfile', passwordFile];
  execFileSync(join(bin, 'initdb'), ['-D', data, ...auth], run);
  const args = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-k', data];
  const child = start(join(bin, 'postgres'), args, run);
  await until(() =>
    succeeds(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'temporal']),
  );
  return child;
}

export function succeeds(program, args, env = process.env) {
  try {
    execFileSync(program, args, { env, stdio: ['ignore', log, log] });
    return true;
  } catch {
    return false;
  }
}

export async function until(isSo) {
  const deadline = Date.now() + 60_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error('It takes too long.');
    await delay(50);
  }
}

/** As the service `temporal` of docker-compose.yml, but for ports, since other servers may run here. */
export async function serverEnvironment(databasePort) {
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
