import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished } from 'vitest';

/** Runs a program in a terminal of its own, between this process's pipes. Python has what makes one. */
export const PTY = `
import fcntl, os, pty, select, struct, sys, termios
columns, args = int(sys.argv[1]), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
    os.execvp(args[0], args)
try:
    inputs = [0, fd]
    while True:
        for ready in select.select(inputs, [], [])[0]:
            data = os.read(ready, 65536)
            if not data:
                if ready == fd: raise OSError
                inputs = [fd]
                continue
            os.write(fd if ready == 0 else 1, data)
except OSError: pass
_, status = os.waitpid(pid, 0)
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 255)
`;

export const hasPython = (() => {
  try {
    execFileSync('python3', ['-c', 'import pty'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export type OnTerminal = {
  type(keys: string): void;
  /** Resolves once the text was shown after what was waited for before; rejects where the program ends without it. */
  shows(text: string): Promise<void>;
  finished: Promise<{ exitCode: number | null; shown: string }>;
};

/** The command line at which a person types. */
export function holdfastOnTerminal(args: string[], env: NodeJS.ProcessEnv = {}, columns = 80): OnTerminal {
  const program = [process.execPath, resolve('dist/cli/main.js'), ...args];
  const { NO_COLOR: _none, CI: _ci, ...rest } = process.env;
  const child = spawn('python3', ['-c', PTY, String(columns), ...program], {
    env: { ...rest, TERM: 'xterm', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let all = '';
  let from = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    all += text;
    child.emit('shown');
  });
  const shown = () => stripVTControlCharacters(all).replaceAll('\r', '');
  onTestFinished(() => void child.kill('SIGKILL'));
  let hasEnded = false;
  const finished = once(child, 'close').then(([exitCode]) => {
    hasEnded = true;
    return { exitCode: exitCode as number | null, shown: shown() };
  });
  return {
    type: (keys) => void child.stdin.write(keys),
    finished,
    async shows(text) {
      for (;;) {
        const at = shown().indexOf(text, from);
        if (at >= 0) {
          from = at + text.length;
          return;
        }
        if (hasEnded) throw new Error(`It ended without showing ${JSON.stringify(text)}: ${shown()}`);
        await Promise.race([once(child, 'shown'), finished]);
      }
    },
  };
}
