import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export type Verdict = { lines: string; exitCode: number };

/** A program of this folder, by its path from here. */
export function program(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
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
