import { parseArgs } from 'node:util';

/** What the command line asks for; what it leaves out, each bench has a default of its own for. */
export type BenchOptions = {
  /** Counted runs of each side. */
  runs?: number;
  /** Of `iteration`, `growth` and `resume`: how many tool rounds a turn has; of `resume`, the first counts. */
  rounds?: number[];
};

/** The command line makes no sense; the message is for the one who typed it. */
export class UsageError extends Error {}

/** Throws a {@link UsageError} that lists the benches and the options. */
export function parseBenchArguments<Name extends string>(
  args: string[],
  benches: Record<Name, { what: string }>,
): { name: Name; options: BenchOptions } {
  const { positionals, values } = parsed(args, benches);
  const [name = '', ...more] = positionals;
  if (!isNameIn(benches, name)) {
    throw usage(name === '' ? 'Which bench?' : `There is no bench "${name}".`, benches);
  }
  if (more.length > 0) throw usage(`One bench at a time, not also "${more.join('", "')}".`, benches);
  const count = (option: string, text: string) => {
    const value = Number(text);
    if (Number.isInteger(value) && value > 0) return value;
    throw usage(`${option} takes whole numbers above 0, not "${text}".`, benches);
  };
  return {
    name,
    options: {
      ...(values.runs !== undefined && { runs: count('--runs', values.runs) }),
      ...(values.n !== undefined && { rounds: values.n.split(',').map((text) => count('--n', text)) }),
    },
  };
}

function parsed(args: string[], benches: Record<string, { what: string }>) {
  try {
    const options = { runs: { type: 'string' }, n: { type: 'string' } } as const;
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw usage(error instanceof Error ? error.message : String(error), benches);
  }
}

function isNameIn<Name extends string>(benches: Record<Name, unknown>, name: string): name is Name {
  return Object.hasOwn(benches, name);
}

function usage(problem: string, benches: Record<string, { what: string }>): UsageError {
  const lines = Object.entries(benches).map(([name, { what }]) => `  ${name.padEnd(12)} ${what}`);
  return new UsageError(
    [
      problem,
      '',
      'Usage: npm run bench -- NAME [--runs COUNT] [--n 10,100]',
      ...lines,
      '',
      '--runs counts the measured runs of each side; --n the tool rounds of a turn, of "iteration", "growth", "resume".',
    ].join('\n'),
  );
}
