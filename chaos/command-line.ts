import { parseArgs } from 'node:util';
import type { Verdict } from './processes.js';

/** The command line makes no sense; the message is for the one who typed it. */
export class UsageError extends Error {}

export type CommandLine<Option extends string> = {
  values: { [name in Option]?: string };
  /** A value of an option; throws a UsageError for what is no whole number above 0. */
  count(option: Option, text: string): number;
};

/** Options that each take a text. Throws a UsageError for others. */
export function commandLine<Option extends string>(
  args: string[],
  names: readonly Option[],
  usage: (problem: string) => UsageError,
): CommandLine<Option> {
  return {
    values: parsed(args, names, usage),
    count(option, text) {
      const value = Number(text);
      if (Number.isInteger(value) && value > 0) return value;
      throw usage(`--${option} takes a whole number above 0, not "${text}".`);
    },
  };
}

function parsed<Option extends string>(
  args: string[],
  names: readonly Option[],
  usage: (problem: string) => UsageError,
): { [name in Option]?: string } {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  try {
    return parseArgs({ args, options }).values as { [name in Option]?: string };
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error));
  }
}

/** Prints what the judge said, and ends with its exit code; with 2 for a command line that makes no sense. */
export async function main(run: (args: string[]) => Promise<Verdict>): Promise<void> {
  try {
    const { lines, exitCode } = await run(process.argv.slice(2));
    process.stdout.write(lines);
    process.exitCode = exitCode;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
