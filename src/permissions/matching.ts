import type { Json } from '../shared/json.js';
import { folded } from './folded.js';
import {
  asText,
  exactNamesOf,
  firstText,
  type JudgedCall,
  namesOf,
  subjectText,
  textsIn,
} from './judged-call.js';
import { plainPath } from './path-pattern.js';
import {
  exactRule,
  isAbout,
  matchesPath,
  namedArgument,
  parseRule,
  type Rule,
  textPatterns,
} from './rule.js';
import type { CommandLine } from './shell.js';
import { nameOf, quoted, type ShellCommand, type ShellWord } from './shell-words.js';

/** `maybe`: the text of the call does not tell. */
export type Match = { is: 'yes' | 'no' } | { is: 'maybe'; because: string };
const YES: Match = { is: 'yes' };
const NO: Match = { is: 'no' };

/** One call as rules see it: its command read once, its path followed once. */
export class RuledCall {
  readonly call: JudgedCall;
  readonly #line: CommandLine | undefined;
  #paths: Promise<string[]> | undefined;
  #texts: string[] | undefined;

  private constructor(call: JudgedCall, line: CommandLine | undefined) {
    this.call = call;
    this.#line = line;
  }

  /** The parser of commands is loaded for the first one. */
  static async of(call: JudgedCall): Promise<RuledCall> {
    const command = call.tool.subject?.as === 'command' ? subjectText(call) : undefined;
    if (command === undefined) return new RuledCall(call, undefined);
    const { readCommandLine } = await import('./shell.js');
    return new RuledCall(call, readCommandLine(command));
  }

  /** Whether a rule that denies or asks is about the call, however it is written. */
  async forbidden(rule: Rule): Promise<Match> {
    if (!namesOf(this.call.tool).some((name) => isAbout(rule, name, true))) return NO;
    if (rule.pattern === undefined) return YES;
    if (this.#line) return commandForbidden(rule.pattern, this.#line, subjectText(this.call) ?? '');
    const paths = await this.#allPaths();
    const known = namedArgument(rule.pattern, this.#argumentNames());
    if (known) return this.#isLike(known.pattern, paths, known.name);
    // A server's schema may not tell of all that the server takes, nor may an invented argument change what the rule means.
    const given = this.call.tool.mcp && namedArgument(rule.pattern, Object.keys(this.call.input));
    const match = this.#isLike(rule.pattern, paths);
    return given && match.is === 'no' ? this.#isLike(given.pattern, paths, given.name) : match;
  }

  #isLike(pattern: string, paths: readonly string[], argument?: string): Match {
    if (paths.some((path) => matchesPath(pattern, path, true))) return YES;
    // What a file is to hold is not what a rule about files is about.
    if (paths.length > 0 && argument === undefined) return NO;
    const texts = argument === undefined ? this.#allTexts() : foldedForms(textsOf(this.call.input[argument]));
    const patterns = textPatterns(folded(pattern));
    return texts.some((text) => patterns.some((each) => each.matches(text))) ? YES : NO;
  }

  /** Whether the rules together allow all that the call does. */
  async allowedBy(rules: readonly Rule[]): Promise<Rule | undefined> {
    const names = exactNamesOf(this.call.tool);
    const own = rules.filter((rule) => names.some((name) => isAbout(rule, name, false)));
    const whole = own.find(({ pattern }) => pattern === undefined);
    if (whole) return whole;
    if (this.#line) return commandAllowed(own, this.#line);
    for (const rule of own) if (await this.#isAllowed(rule.pattern ?? '')) return rule;
    return undefined;
  }

  async #isAllowed(pattern: string): Promise<boolean> {
    const { input, tool } = this.call;
    const named = namedArgument(pattern, this.#argumentNames());
    if (named) {
      const text = asText(input[named.name]);
      return textPatterns(named.pattern).some((each) => each.matches(text));
    }
    if (tool.subject?.as === 'path') {
      const path = await this.#realPath();
      return path !== undefined && matchesPath(pattern, path, false);
    }
    const text = firstText(input, this.#argumentNames());
    return text !== undefined && textPatterns(pattern).some((each) => each.matches(text));
  }

  /** The rules that allow this call again; for a tool without a command, each call of the tool. */
  alwaysRules(): string[] {
    const { name } = this.call.tool;
    if (!this.#line) return [name];
    if (this.#line.problem !== undefined || !this.#line.commands.every(isPlain)) return [];
    return [...new Set(this.#line.commands.map(({ words }) => exactRule(name, quoted(words))))];
  }

  /** Folded once: some are megabytes long, and there may be many rules. */
  #allTexts(): string[] {
    this.#texts ??= foldedForms(textsIn(this.call.input));
    return this.#texts;
  }

  /** As written and as it really is. */
  async #allPaths(): Promise<string[]> {
    this.#paths ??= (async () => {
      const written = this.call.tool.subject?.as === 'path' ? subjectText(this.call) : undefined;
      if (written === undefined) return [];
      const real = await this.#realPath();
      return real === undefined ? [plainPath(written)] : [plainPath(written), real];
    })();
    return await this.#paths;
  }

  async #realPath(): Promise<string | undefined> {
    const { subject } = this.call.tool;
    const written = subjectText(this.call);
    if (subject?.as !== 'path' || written === undefined) return undefined;
    return await subject.resolve(written).catch(() => undefined);
  }

  #argumentNames(): string[] {
    const { properties } = this.call.tool.schema;
    return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  }
}

/** Longer than any path. */
const PATH_CHARACTERS = 4096;

/** Of one argument, which may be a list. */
function textsOf(value: Json | undefined): string[] {
  return value === undefined ? [] : [asText(value), ...textsIn(value)];
}

/** Each text as it is, with its white space as single spaces, and as the path or the address that it may be. */
function foldedForms(texts: readonly string[]): string[] {
  const forms = texts.flatMap((text) => {
    const spaced = [text, text.replace(/\s+/g, ' ')];
    if (text.length > PATH_CHARACTERS) return spaced;
    const decoded = decodedForm(text);
    return [...spaced, plainPath(text), decoded, plainPath(decoded)];
  });
  // Who reads a name or an address leaves out the spaces around it.
  return [...new Set(forms.map(folded).flatMap((form) => [form, form.trim()]))];
}

function decodedForm(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isPlain({ words, assigns, redirects }: ShellCommand): boolean {
  return words.length > 0 && !assigns && !redirects && words.every(({ isKnown }) => isKnown);
}

/** Each command has its rule, and there is nothing that no rule can speak of. */
function commandAllowed(rules: readonly Rule[], line: CommandLine): Rule | undefined {
  if (line.problem !== undefined || line.commands.length === 0) return undefined;
  const used = line.commands.map((command) =>
    isPlain(command)
      ? rules.find(({ pattern }) =>
          textPatterns(pattern ?? '').some((each) => each.matches(quoted(command.words))),
        )
      : undefined,
  );
  return used.every((rule) => rule !== undefined) ? used[0] : undefined;
}

function commandForbidden(pattern: string, line: CommandLine, source: string): Match {
  const patterns = textPatterns(folded(pattern));
  const isLike = (text: string) => patterns.some((each) => each.matches(folded(text)));
  if (isLike(source) || isLike(source.trim().replace(/\s+/g, ' '))) return YES;
  if (line.commands.some((command) => writings(command).some(isLike))) return YES;
  const possible = line.possible.find((command) => writings(command).some(isLike));
  if (possible) return { is: 'maybe', because: `a program in it may run ${nameOf(possible.words)}` };
  if (line.problem !== undefined) return { is: 'maybe', because: line.problem };
  const open = line.commands.find(
    ({ words }) =>
      words.some(({ isKnown, isPattern }) => !isKnown || isPattern) && couldBe(pattern, words[0]?.text ?? ''),
  );
  return open ? { is: 'maybe', because: `what ${nameOf(open.words)} is given shows only when it runs` } : NO;
}

/** The most leading options that are left out. */
const MAX_OPTIONS = 50;

/** The ways to write a command: with its folder or without, with quotes or without, without its first options. */
function writings({ words }: ShellCommand): string[] {
  const [first, ...rest] = words;
  if (!first) return [];
  const texts: string[] = [];
  for (const name of new Set([first.text, nameOf(words)])) {
    for (let from = 0; from <= Math.min(rest.length, MAX_OPTIONS); from++) {
      const written = [{ text: name, isKnown: true }, ...rest.slice(from)];
      texts.push(written.map(({ text }) => text).join(' '), quoted(written));
      // An option, or what may be the value of the one before.
      if (!isOption(rest[from]) && !isOption(rest[from - 1])) break;
    }
  }
  return texts;
}

function isOption(word: ShellWord | undefined): boolean {
  return word?.text.startsWith('-') ?? false;
}

/** Whether a command of that name may be one of the pattern's, whatever its arguments. */
function couldBe(pattern: string, name: string): boolean {
  const [first = ''] = folded(pattern)
    .trim()
    .split(/[\s*:]/);
  const last = folded(name).split('/').at(-1) ?? '';
  return first === '' || last.startsWith(first) || folded(name).startsWith(first);
}

export function parsedRules(rules: readonly string[]): Rule[] {
  return rules.map(parseRule);
}
