import { parseArgs } from 'node:util';
import { UsageError } from '../arguments.js';
import { type BreakName, SESSION_BREAK_NAMES } from '../breaks.js';

export type SoakOptions = {
  sessions: number;
  /** Of each session. */
  turns: number;
  seed: number;
  /** After so many messages and ends of turns a session goes on in a new run. */
  messagesPerRun: number;
  /** The model's context window in tokens, which is what makes transcripts too long. */
  window: number;
  breakName?: BreakName;
};

const OPTIONS = {
  sessions: { type: 'string' },
  turns: { type: 'string' },
  seed: { type: 'string' },
  'messages-per-run': { type: 'string' },
  window: { type: 'string' },
  break: { type: 'string' },
} as const;

export function parseSoakArguments(args: string[]): SoakOptions {
  const values = parsed(args);
  const breakName = SESSION_BREAK_NAMES.find((name) => name === values.break);
  if (values.break !== undefined && !breakName) throw usage(`There is no break "${values.break}".`);
  return {
    sessions: count('--sessions', values.sessions ?? '1'),
    turns: count('--turns', values.turns ?? '1000'),
    seed: count('--seed', values.seed ?? '1'),
    messagesPerRun: count('--messages-per-run', values['messages-per-run'] ?? '40'),
    window: count('--window', values.window ?? '8000'),
    ...(breakName && { breakName }),
  };
}

function parsed(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

function count(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw usage(`${option} takes a whole number above 0, not "${text}".`);
}

function usage(problem: string): UsageError {
  return new UsageError(
    [
      `${problem}\n`,
      'Usage: npm run soak -- [--turns 1000] [--sessions 1] [--seed 1] [--messages-per-run 40]',
      `                       [--window TOKENS] [--break ${SESSION_BREAK_NAMES.join('|')}]`,
    ].join('\n'),
  );
}
