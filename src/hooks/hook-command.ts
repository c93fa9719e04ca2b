import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcessGroup } from '../tools/process-group.js';

export type HookCommand = {
  /** For `/bin/sh -c`. */
  command: string;
  cwd: string;
  environment: Record<string, string>;
  timeoutMs: number;
  /** What it reads. */
  stdin: string;
};

export type HookCommandEnd = { code: number; stdout: string; stderr: string };

const MAX_OUTPUT_CHARACTERS = 256_000;
/** After the exit, for output that a process in the background still holds open. */
const DRAIN_MS = 250;

/**
 * Runs a command in a process group of its own. Throws where it can't be started, takes too long or dies of a signal: in
 * all of these it has not said what is to happen; and where the signal fires, after its processes have ended.
 */
export async function runHookCommand(asked: HookCommand, signal: AbortSignal): Promise<HookCommandEnd> {
  signal.throwIfAborted();
  const { command, cwd, environment, timeoutMs, stdin } = asked;
  const child = spawn('/bin/sh', ['-c', command], { cwd, env: environment, detached: true, stdio: 'pipe' });
  const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
  // One that reads nothing may be gone before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  try {
    const ending = await endOf(child, cwd, timeoutMs, signal);
    if (typeof ending === 'number') {
      await Promise.race([Promise.all([stdout.ended, stderr.ended]), sleep(DRAIN_MS)]);
      return { code: ending, stdout: stdout.read(), stderr: stderr.read() };
    }
    if (child.pid !== undefined) await endProcessGroup(child.pid);
    signal.throwIfAborted();
    const why = ending === 'timed_out' ? `took longer than ${timeoutMs / 1000} s` : `died of ${ending}`;
    throw new Error(`the command ${JSON.stringify(command)} ${why}`);
  } finally {
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
  }
}

function endOf(
  child: ChildProcess,
  folder: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<number | NodeJS.Signals | 'timed_out'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => resolve('timed_out')), timeoutMs);
    const onAbort = () => settle(() => resolve('timed_out'));
    const settle = (how: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      how();
    };
    signal.addEventListener('abort', onAbort);
    child.once('error', ({ message }) =>
      settle(() => reject(new Error(`a command can't be started in ${folder}: ${message}`))),
    );
    child.once('exit', (code, killedBy) => settle(() => resolve(killedBy ?? code ?? 0)));
  });
}

function textOf(stream: Readable): { ended: Promise<void>; read(): string } {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    if (text.length < MAX_OUTPUT_CHARACTERS) text += piece.slice(0, MAX_OUTPUT_CHARACTERS - text.length);
  });
  const ended = new Promise<void>((resolve) => {
    stream.once('end', resolve);
    stream.once('error', () => resolve());
    stream.once('close', () => resolve());
  });
  return { ended, read: () => text };
}
