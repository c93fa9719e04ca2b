import type { Argument, Command, Option } from 'commander';

/** What may stand where the cursor is. `files` and `folders` the shell itself completes; `turns` and `sessions` are on the server. */
export type Completions =
  | { kind: 'words'; words: Word[] }
  | { kind: 'files' }
  | { kind: 'folders' }
  | { kind: 'turns' | 'sessions'; prefix: string };

export type Word = { word: string; description: string };

const nothing: Completions = { kind: 'words', words: [] };

/**
 * From the program's own command tree: `typed` are the words after its name, the last of which is to be completed and
 * may be empty.
 */
export function completionsOf(program: Command, typed: readonly string[]): Completions {
  const before = typed.slice(0, -1);
  const last = typed.at(-1) ?? '';
  const { command, operands, wanting, onlyOperands } = walk(program, before);
  if (wanting) return valuesOf(wanting, last);
  if (!onlyOperands && last.startsWith('-')) return optionsOf(command, last);
  if (command.commands.length > 0) return words(visibleCommands(command), last);
  const place = Math.min(operands, command.registeredArguments.length - 1);
  const argument = command.registeredArguments[place];
  return argument && (operands === place || argument.variadic) ? argumentsOf(argument, last) : nothing;
}

/** Where the words lead: a command, how many operands of it are there, the option that wants its value next. */
function walk(program: Command, before: readonly string[]) {
  let command = program;
  let operands = 0;
  let wanting: Option | undefined;
  let onlyOperands = false;
  for (const word of before) {
    const asking = wanting;
    wanting = undefined;
    if (asking && (asking.required || !word.startsWith('-'))) continue;
    if (!onlyOperands && word === '--') {
      onlyOperands = true;
    } else if (!onlyOperands && word.startsWith('-')) {
      const option = command.options.find(({ short, long }) => word === short || word === long);
      if (option?.required || option?.optional) wanting = option;
    } else {
      const sub = command.commands.find((each) => each.name() === word);
      if (sub) command = sub;
      else operands += 1;
    }
  }
  return { command, operands, wanting, onlyOperands };
}

function optionsOf(command: Command, last: string): Completions {
  const [name, ...value] = last.split('=');
  if (value.length > 0) {
    const option = command.options.find(({ long }) => long === name);
    const values = option ? valuesOf(option, value.join('=')) : nothing;
    if (values.kind !== 'words') return nothing;
    return { ...values, words: values.words.map((each) => ({ ...each, word: `${name}=${each.word}` })) };
  }
  const options = command.createHelp().visibleOptions(command);
  return words(
    options.map(({ long, short, description }) => ({ word: long ?? short ?? '', description })),
    last,
  );
}

/** By the names that values have in the help. */
function valuesOf({ argChoices, flags }: Option, last: string): Completions {
  if (argChoices) return words(choices(argChoices), last);
  if (/[<[]folder/.test(flags)) return { kind: 'folders' };
  return /[<[](?:file|module)/.test(flags) ? { kind: 'files' } : nothing;
}

function argumentsOf(argument: Argument, last: string): Completions {
  if (argument.argChoices) return words(choices(argument.argChoices), last);
  switch (argument.name()) {
    case 'turn':
      return { kind: 'turns', prefix: last };
    case 'session':
      return { kind: 'sessions', prefix: last };
    case 'module':
      return { kind: 'files' };
    case 'folder':
      return { kind: 'folders' };
    default:
      return nothing;
  }
}

function visibleCommands(command: Command): Word[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((each) => ({ word: each.name(), description: each.description() }));
}

function choices(values: readonly string[]): Word[] {
  return values.map((word) => ({ word, description: '' }));
}

function words(all: readonly Word[], prefix: string): Completions {
  return { kind: 'words', words: all.filter(({ word }) => word.startsWith(prefix)) };
}
