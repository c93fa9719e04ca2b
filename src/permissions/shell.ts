import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { type ShellCommand, shellCommand } from './shell-words.js';
import { hiddenIn } from './wrappers.js';

/** All that a command line runs, as far as its text tells. */
export type CommandLine = {
  /** In chains, pipes, subshells, loops, functions and substitutions, and what wrappers such as `sudo` or `sh -c` run. */
  commands: ShellCommand[];
  /** Why the text does not tell all that it runs. */
  problem?: string;
};

const MAX_CHARACTERS = 100_000;
/** Of code in code, as in `sh -c "sh -c ..."`. */
const MAX_DEPTH = 8;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those that no command line needs.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** Never throws: what can't be read is a {@link CommandLine} with a problem. */
export function readCommandLine(source: string, depth = 0): CommandLine {
  if (source.length > MAX_CHARACTERS) return { commands: [], problem: 'it is too long to be checked' };
  if (CONTROL.test(source)) return { commands: [], problem: 'it has control characters in it' };
  if (depth > MAX_DEPTH) return { commands: [], problem: 'it nests too deep to be checked' };
  try {
    const walk = new Walk(depth);
    walk.visit(parse(source));
    return { commands: walk.commands, ...(walk.problem !== undefined && { problem: walk.problem }) };
  } catch (error) {
    return { commands: [], problem: `it can't be parsed (${String(error)})` };
  }
}

class Walk {
  readonly commands: ShellCommand[] = [];
  problem: string | undefined;
  readonly #depth: number;

  constructor(depth: number) {
    this.#depth = depth;
  }

  visit(node: SyntaxNode): void {
    this.problem ??= problemOf(node);
    if (node.type === 'Command') this.#take(shellCommand(node));
    forEachChild(node, (child) => this.visit(child));
  }

  /** `wrappers`: how many this command is in, as `rm` in `sudo nice rm` is in two. */
  #take(command: ShellCommand, wrappers = 0): void {
    this.commands.push(command);
    if (wrappers > MAX_DEPTH) {
      this.problem ??= 'it nests too deep to be checked';
      return;
    }
    const hidden = hiddenIn(command.words);
    this.problem ??= hidden.problem;
    for (const words of hidden.commands) {
      this.#take({ words, assigns: false, redirects: false }, wrappers + 1);
    }
    for (const code of hidden.code) {
      const inner = readCommandLine(code, this.#depth + 1);
      this.commands.push(...inner.commands);
      this.problem ??= inner.problem;
    }
  }
}

/** Operators that read their operands as arithmetic, in which a variable's value may run a command. */
const ARITHMETIC_TESTS = ['-eq', '-ne', '-lt', '-le', '-gt', '-ge'];

function problemOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Script':
      return node.errors?.[0] && `it can't be parsed (${node.errors[0].message})`;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script ? undefined : 'a substitution in it can not be parsed';
    case 'ArithmeticWord':
      return /^\d+$/.test(node.value)
        ? undefined
        : 'it computes with variables, whose values may run commands';
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      return node.expression ? undefined : 'arithmetic in it can not be parsed';
    case 'TestUnary':
      return node.operator === '-v' ? 'it looks at a variable whose index may run a command' : undefined;
    case 'TestBinary':
      return ARITHMETIC_TESTS.includes(node.operator) ? 'it compares by arithmetic' : undefined;
    case 'ParameterExpansion': {
      const isList = node.index === undefined || /^(\d+|@|\*)$/.test(node.index.text);
      const isPlain = node.prefix !== '!' && node.operation?.type !== 'Transform' && isList;
      return isPlain ? undefined : 'an expansion in it may run commands';
    }
    default:
      return undefined;
  }
}
