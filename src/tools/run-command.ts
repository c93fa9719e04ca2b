import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { setImmediate as nextPoll, setTimeout as sleep } from 'node:timers/promises';
import { openOutputPipe } from './output-pipe.js';
import { endProcessGroup } from './process-group.js';

export type Command = {
  shell: string;
  text: string;
  /** The folder that it starts in. */
  folder: string;
  environment: Record<string, string>;
  timeoutMs: number;
  /** Its stdout and stderr, in the order they were written. Not called any more after the end. */
  onOutput(bytes: Uint8Array): void;
};

export type CommandEnd = (
  | { type: 'exited'; code: number }
  | { type: 'killed'; signal: NodeJS.Signals }
  | { type: 'timed_out' }
) & {
  /** A process that the command left in the background still has the output open. It is left running. */
  outputOpen: boolean;
};

type Ending = { type: 'exited'; code: number } | { type: 'killed'; signal: NodeJS.Signals };

/** How long output is awaited after the shell's exit, which may come before its last output has been read. */
const DRAIN_MS = 250;

/**
 * Runs a command in a process group of its own, with nothing to read. On a timeout and on an abort the whole group is
 * ended, and only then this settles: with `timed_out`, or by throwing the signal's reason. It throws too when there
 * is no such shell or folder. It doesn't wait for what the command left in the background.
 */
export async function runCommand(command: Command, signal: AbortSignal): Promise<CommandEnd> {
  signal.throwIfAborted();
  const pipe = await openOutputPipe();
  const output = outputOf(pipe.reader, command.onOutput);
  try {
    signal.throwIfAborted();
    const child = spawnShell(command, pipe.writer);
    pipe.closeWriter();
    const ending = await firstOf(child, command, signal);
    if (typeof ending === 'string' && child.pid !== undefined) await endProcessGroup(child.pid);
    const outputOpen = !(await output.drained());
    if (ending === 'aborted') throw signal.reason;
    return ending === 'timed_out' ? { type: ending, outputOpen } : { ...ending, outputOpen };
  } finally {
    pipe.closeWriter();
    output.letGo();
  }
}

function spawnShell({ shell, text, folder, environment }: Command, output: number): ChildProcess {
  return spawn(shell, ['-c', text], {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['ignore', output, output],
  });
}

function firstOf(
  child: ChildProcess,
  { shell, folder, timeoutMs }: Command,
  signal: AbortSignal,
): Promise<Ending | 'timed_out' | 'aborted'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => resolve('timed_out')), timeoutMs);
    const abort = () => settle(() => resolve('aborted'));
    function settle(how: () => void): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      how();
    }
    signal.addEventListener('abort', abort);
    child.once('error', (cause) =>
      settle(() => reject(new Error(`Cannot start ${shell} in ${folder}: ${cause.message}`, { cause }))),
    );
    child.once('exit', (code, killedBy) =>
      settle(() =>
        resolve(
          killedBy === null ? { type: 'exited', code: code ?? 0 } : { type: 'killed', signal: killedBy },
        ),
      ),
    );
  });
}

function outputOf(reader: Socket, onOutput: (bytes: Uint8Array) => void) {
  const closed = new Promise<void>((resolve) => reader.once('close', () => resolve()));
  reader.on('data', onOutput);
  // An output that can't be read any more has ended; how the command ended is told all the same.
  reader.on('error', () => reader.destroy());
  return {
    /** Whether all has been read; false when somebody still has it open a moment later. */
    async drained(): Promise<boolean> {
      const giveUp = new AbortController();
      await Promise.race([closed, sleep(DRAIN_MS, undefined, { signal: giveUp.signal }).catch(() => {})]);
      giveUp.abort();
      // In a process that was busy for so long the time is over before the output was looked at even once.
      await nextPoll();
      return reader.destroyed;
    },
    /** Read on but to nobody: a server in the background must not die of a closed pipe, nor keep this process alive. */
    letGo(): void {
      reader.off('data', onOutput);
      reader.resume();
      reader.unref();
    },
  };
}
