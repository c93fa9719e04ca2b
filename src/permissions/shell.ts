import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { hiddenIn } from './hidden-commands.js';
import { problemOf } from './node-problems.js';
import { possibleIn } from './possible.js';
import { type ShellCommand, shellCommand, shellWord, wordlessCommand } from './shell-words.js';

/** All that a command line runs, as far as its text tells. */
export type CommandLine = {
  /** In chains, pipes, subshells, loops, functions and substitutions, and what wrappers such as `sudo` or `sh -c` run. */
  commands: ShellCommand[];
  /** What programs may run of their arguments. */
  possible: ShellCommand[];
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
  if (source.length > MAX_CHARACTERS)
    return { commands: [], possible: [], problem: 'it is too long to be checked' };
  if (CONTROL.test(source)) return { commands: [], possible: [], problem: 'it has control characters in it' };
  if (depth > MAX_DEPTH) return { commands: [], possible: [], problem: 'it nests too deep to be checked' };
  try {
    const walk = new Walk(depth);
    walk.visit(parse(source));
    const { commands, possible } = walk;
    return { commands, possible, ...(walk.problem !== undefined && { problem: walk.problem }) };
  } catch (error) {
    return { commands: [], possible: [], problem: `it can't be parsed (${String(error)})` };
  }
}

class Walk {
  readonly commands: ShellCommand[] = [];
  readonly possible: ShellCommand[] = [];
  problem: string | undefined;
  readonly #depth: number;

  constructor(depth: number) {
    this.#depth = depth;
  }

  visit(node: SyntaxNode): void {
    this.problem ??= problemOf(node);
    const code = codeIn(node);
    if (code !== undefined) this.#mayRun(code);
    if (node.type === 'Command') this.#take(shellCommand(node));
    const wordless = wordlessCommand(node);
    if (wordless) this.commands.push(wordless);
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
    const possible = possibleIn(command.words);
    for (const words of possible.commands) this.#mayBe({ words, assigns: false, redirects: false });
    for (const code of possible.code) this.#mayRun(code);
    for (const words of hidden.commands) {
      this.#take({ words, assigns: false, redirects: false }, wrappers + 1);
    }
    for (const code of hidden.code) {
      const inner = readCommandLine(code, this.#depth + 1);
      this.commands.push(...inner.commands);
      this.possible.push(...inner.possible);
      this.problem ??= inner.problem;
    }
  }

  #mayBe(command: ShellCommand): void {
    this.possible.push(command);
    const { commands, code } = hiddenIn(command.words);
    this.possible.push(...commands.map((words) => ({ words, assigns: false, redirects: false })));
    for (const each of code) this.#mayRun(each);
  }

  /** Most of it is no code at all, so that what can't be parsed says nothing. */
  #mayRun(code: string): void {
    const inner = readCommandLine(code, this.#depth + 1);
    this.possible.push(...inner.commands, ...inner.possible);
  }
}

/** Their values are commands for the programs that they are set for. */
const COMMANDS_IN =
  /^(GIT_\w*(COMMAND|PAGER|EDITOR|DIFF|ASKPASS|PROXY)|\w*PAGER|\w*EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|RSYNC_RSH|GIT_SSH|SSH_ASKPASS)$/;

function codeIn(node: SyntaxNode): string | undefined {
  if (node.type !== 'Assignment' || !COMMANDS_IN.test(node.name) || node.value.type !== 'Word')
    return undefined;
  return shellWord(node.value).text;
}
