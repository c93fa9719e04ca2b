import { spawn } from 'node:child_process';

/** How a program ended. `output` is stdout and stderr in the order they came, the last 8 KB of it. */
export type ProgramEnd = { succeeded: boolean; output: string };

const KEPT_CHARACTERS = 8_192;

export type RunProgramOptions = {
  timeoutMs: number;
  env?: NodeJS.ProcessEnv;
  /** Asked every 100 ms: a text ends the program, and becomes the last line of its output. */
  endWhen?: () => string | undefined;
};

/** Runs a program to its end: a failure is a value, for the caller goes on to the next source. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: RunProgramOptions,
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.env && { env: options.env }),
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-KEPT_CHARACTERS);
    };
    const end = (reason: string): void => {
      keep(Buffer.from(`\n${reason}`));
      child.kill('SIGKILL');
    };
    const timeout = setTimeout(
      () => end(`ended after ${options.timeoutMs / 1000} seconds`),
      options.timeoutMs,
    );
    const watch = setInterval(() => {
      const reason = options.endWhen?.();
      if (reason !== undefined) end(reason);
    }, 100);
    const settle = (succeeded: boolean): void => {
      clearTimeout(timeout);
      clearInterval(watch);
      resolve({ succeeded, output: output.trim() });
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => {
      keep(Buffer.from(error.message));
      settle(false);
    });
    child.once('close', (code) => settle(code === 0));
  });
}
