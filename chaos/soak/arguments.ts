import { type BreakName, SESSION_BREAK_NAMES } from '../breaks.js';
import { commandLine, UsageError } from '../command-line.js';

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

const OPTIONS = ['sessions', 'turns', 'seed', 'messages-per-run', 'window', 'break'] as const;

export function parseSoakArguments(args: string[]): SoakOptions {
  const { values, count } = commandLine(args, OPTIONS, usage);
  const breakName = SESSION_BREAK_NAMES.find((name) => name === values.break);
  if (values.break !== undefined && !breakName) throw usage(`There is no break "${values.break}".`);
  return {
    sessions: count('sessions', values.sessions ?? '1'),
    turns: count('turns', values.turns ?? '1000'),
    seed: count('seed', values.seed ?? '1'),
    messagesPerRun: count('messages-per-run', values['messages-per-run'] ?? '40'),
    window: count('window', values.window ?? '8000'),
    ...(breakName && { breakName }),
  };
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
