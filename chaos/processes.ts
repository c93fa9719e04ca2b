import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startTemporaryServer } from '../dist/server/temporary-server.js';
import { recordPaths } from './records.js';

export type Verdict = { lines: string; exitCode: number };

/** A program of this folder, by its path from here. */
export function program(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}

/** A folder for the records, a server, and a provider that writes down what it refuses. */
export async function openPlace(name: string) {
  const folder = await mkdtemp(join(tmpdir(), `holdfast-${name}-`));
  const paths = recordPaths(folder);
  const provider = fork(program('provider.js'), [paths.refusals]);
  const [server, [modelUrl]] = await Promise.all([
    startTemporaryServer({ ui: false }),
    once(provider, 'message'),
  ]);
  return { folder, paths, provider, server, modelUrl: String(modelUrl) };
}

/** Runs a judge, which tells its verdict on stdout and by its exit code. */
export async function judged(judge: string, args: readonly string[]): Promise<Verdict> {
  const judging = spawn(process.execPath, [program(judge), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [lines, [exitCode]] = await Promise.all([text(judging.stdout), once(judging, 'exit')]);
  return { lines, exitCode: typeof exitCode === 'number' ? exitCode : 1 };
}

/** The provider ends when we hang up, after it has written down what it refused. */
export async function hangUp(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (child.connected) child.disconnect();
  await exited;
}
