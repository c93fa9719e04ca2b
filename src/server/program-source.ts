import { runProgram } from './run-program.js';

/** What a source of the Temporal program is given: the environment, our cache, and a listener for one-line progress. */
export type SourceContext = {
  env: NodeJS.ProcessEnv;
  cacheDir: string;
  onProgress: (line: string) => void;
};

export type SourceResult = { type: 'found'; program: string } | { type: 'failed'; reason: string };

/** A place the program can come from. `find` returns a failure, so that the next source gets its turn. */
export type ProgramSource = { name: string; find(context: SourceContext): Promise<SourceResult> };

/** The first line of `temporal --version`, or why `program` is not the Temporal CLI or can't run here (0.04 s). */
export async function checkProgram(program: string): Promise<SourceResult> {
  const { succeeded, output } = await runProgram(program, ['--version'], { timeoutMs: 10_000 });
  if (succeeded && /^temporal version /m.test(output)) return { type: 'found', program };
  return { type: 'failed', reason: `${program} is no Temporal CLI that runs here: ${lastLine(output)}` };
}

export function lastLine(output: string): string {
  return output.trim().split('\n').at(-1)?.trim() || 'it said nothing';
}
