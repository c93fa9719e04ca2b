import { parseArgs } from 'node:util';
import { BREAK_NAMES, type BreakName } from './breaks.js';

export type ChaosOptions = {
  turns: number;
  seed: number;
  breakName?: BreakName;
  /** Model calls after which each turn continues as new. Default: when Temporal suggests it. */
  continueEvery?: number;
  /** How many transcripts a worker keeps in memory. Default: as many as fit. */
  cachedTranscripts?: number;
};

/** The command line makes no sense; the message is for the one who typed it. */
export class UsageError extends Error {}

export function parseChaosArguments(args: string[]): ChaosOptions {
  const values = parsed(args);
  const { break: breakName, 'continue-every': continueEvery, 'cached-transcripts': cached } = values;
  if (breakName !== undefined && !isBreak(breakName)) throw usage(`There is no break "${breakName}".`);
  return {
    turns: count('--turns', values.turns ?? '200'),
    seed: count('--seed', values.seed ?? '1'),
    ...(breakName !== undefined && { breakName }),
    ...(continueEvery !== undefined && { continueEvery: count('--continue-every', continueEvery) }),
    ...(cached !== undefined && { cachedTranscripts: count('--cached-transcripts', cached) }),
  };
}

function parsed(args: string[]) {
  try {
    const options = {
      turns: { type: 'string' },
      seed: { type: 'string' },
      break: { type: 'string' },
      'continue-every': { type: 'string' },
      'cached-transcripts': { type: 'string' },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

function count(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw usage(`${option} takes a whole number above 0, not "${text}".`);
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
