import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type FinishedProcess = { exitCode: number | null; stdout: string; stderr: string };

export type RunningProcess = {
  process: ChildProcess;
  /** Resolves once the text was printed, on either stream; rejects where the process ends without it. */
  printed(text: string): Promise<void>;
  finished: Promise<FinishedProcess>;
};

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Starts a built program of this package as a user does, without a terminal and without the machine's model keys. */
export function start(program: string, args: string[], env: NodeJS.ProcessEnv = {}): RunningProcess {
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('OPENAI_')),
  );
  const child = spawn(process.execPath, [program, ...args], {
    cwd: root,
    env: { ...clean, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
    child.emit('printed');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
    child.emit('printed');
  });
  const finished = once(child, 'close').then(([exitCode]) => ({
    exitCode: exitCode as number | null,
    ...output,
  }));
  const has = (text: string) => output.stdout.includes(text) || output.stderr.includes(text);
  return {
    process: child,
    finished,
    async printed(text) {
      while (!has(text)) {
        await Promise.race([once(child, 'printed'), finished]);
        if (child.exitCode !== null && !has(text)) {
          throw new Error(
            `It ended without printing ${JSON.stringify(text)}: ${output.stdout}${output.stderr}`,
          );
        }
      }
    },
  };
}

export function holdfast(args: string[], env: NodeJS.ProcessEnv = {}): RunningProcess {
  return start('dist/cli/main.js', args, env);
}
