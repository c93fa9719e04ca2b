import { BREAK_NAMES, type BreakName } from './breaks.js';
import { commandLine, UsageError } from './command-line.js';

export type ChaosOptions = {
  turns: number;
  seed: number;
  breakName?: BreakName;
  /** Model calls after which each turn continues as new. Default: when Temporal suggests it. */
  continueEvery?: number;
  /** How many transcripts a worker keeps in memory. Default: as many as fit. */
  cachedTranscripts?: number;
};

const OPTIONS = ['turns', 'seed', 'break', 'continue-every', 'cached-transcripts'] as const;

export function parseChaosArguments(args: string[]): ChaosOptions {
  const { values, count } = commandLine(args, OPTIONS, usage);
  const { break: breakName, 'continue-every': continueEvery, 'cached-transcripts': cached } = values;
  if (breakName !== undefined && !isBreak(breakName)) throw usage(`There is no break "${breakName}".`);
  return {
    turns: count('turns', values.turns ?? '200'),
    seed: count('seed', values.seed ?? '1'),
    ...(breakName !== undefined && { breakName }),
    ...(continueEvery !== undefined && { continueEvery: count('continue-every', continueEvery) }),
    ...(cached !== undefined && { cachedTranscripts: count('cached-transcripts', cached) }),
  };
}

function isBreak(name: string): name is (typeof BREAK_NAMES)[number] {
  return BREAK_NAMES.some((each) => each === name);
}

function usage(problem: string): UsageError {
  return new UsageError(
    [
      `${problem}\n`,
      `Usage: npm run chaos -- [--turns 200] [--seed 1] [--break ${BREAK_NAMES.join('|')}]`,
      '                        [--continue-every ITERATIONS] [--cached-transcripts COUNT]',
    ].join('\n'),
  );
}
