import type { Assignment, Command, Redirection, SyntaxNode, Word, WordPart } from 'unbash';

/**
 * A word of a command as the program is given it; `isKnown` is false where only a run would tell. `isPattern`: names of
 * files may come in its place, as of `*.ts` or `~/x`.
 */
export type ShellWord = { text: string; isKnown: boolean; isPattern?: true };

/** One program or builtin that a command line runs. */
export type ShellCommand = {
  /** Name and arguments, without quotes. Empty where there are only assignments. */
  words: ShellWord[];
  /** It sets variables for itself, as in `PATH=. git status`. */
  assigns: boolean;
  /** It reads or writes files by redirection, or is given a text as its input. */
  redirects: boolean;
};

export function shellCommand(node: Command): ShellCommand {
  const words = [...(node.name ? [node.name] : []), ...node.args];
  const assignments = [...node.prefix, ...node.suffix].filter((each) => each.type === 'Assignment');
  return {
    words: words.map((word) => (word.type === 'Word' ? shellWord(word) : assignmentWord(word))),
    assigns: assignments.length > 0,
    redirects: isRedirected(node.redirects),
  };
}

/**
 * What a part of a command line does beside running commands, as a command without words, which no rule allows: it
 * redirects a whole loop or group, or sets a variable for what follows, as `for PATH in x` and `${PATH:=x}` do.
 */
export function wordlessCommand(node: SyntaxNode): ShellCommand | undefined {
  switch (node.type) {
    case 'Redirected':
      return isRedirected(node.redirects) ? { words: [], assigns: false, redirects: true } : undefined;
    case 'For':
    case 'Select':
      return { words: [], assigns: true, redirects: false };
    case 'Coproc':
      return node.name && { words: [], assigns: true, redirects: false };
    case 'ParameterExpansion': {
      const { operation } = node;
      const isSet = operation?.type === 'Default' && /^:?=$/.test(operation.operator);
      return isSet ? { words: [], assigns: true, redirects: false } : undefined;
    }
    default:
      return undefined;
  }
}

function isRedirected(redirects: readonly Redirection[]): boolean {
  return redirects.some((each) => each.type !== 'Redirect' || !isHarmless(each));
}

/** To or from `/dev/null`, and of one open stream to another. */
function isHarmless({ operator, target }: { operator: string; target: Word | undefined }): boolean {
  if (!target) return false;
  const { text, isKnown } = shellWord(target);
  if (!isKnown) return false;
  return operator === '>&' || operator === '<&' ? /^(\d+|-)$/.test(text) : text === '/dev/null';
}

/** Of `export PATH=x`. */
function assignmentWord({ name, value, text }: Assignment): ShellWord {
  if (value.type !== 'Word') return { text, isKnown: false };
  const assigned = shellWord(value);
  return { ...assigned, text: `${name}=${assigned.text}` };
}

export function shellWord(word: Word): ShellWord {
  const isPattern = word.text.startsWith('~') || word.parts?.some(({ type }) => type === 'Glob');
  if (!word.parts) return { text: word.value, isKnown: true, ...(isPattern && { isPattern }) };
  const parts = word.parts.map(partText);
  // Of a star that stands for files and one that is quoted in the same word, the text does not tell which is which.
  const isMixed =
    isPattern && word.parts.some((part) => part.type !== 'Glob' && /[*?[\]~]/.test(partText(part) ?? ''));
  return {
    text: parts.map((part) => part ?? '').join(''),
    isKnown: !isMixed && parts.every((part) => part !== undefined),
    ...(isPattern && { isPattern }),
  };
}

/** Undefined where it depends on more than the text. What stands for names of files is kept as it is written. */
function partText(part: WordPart): string | undefined {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
    case 'LocaleString': {
      const texts = part.parts.map(partText);
      return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
    }
    case 'Glob':
      return part.text;
    default:
      return undefined;
  }
}

/** A command as one would type it: words apart by a space, and quoted where that is needed to tell them apart. */
export function quoted(words: readonly ShellWord[]): string {
  return words.map(quotedWord).join(' ');
}

function quotedWord({ text, isPattern }: ShellWord): string {
  const isPlain = isPattern ? PATTERN.test(text) : PLAIN.test(text);
  return isPlain ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
const PLAIN = /^[\p{L}\p{N}_@%+=:,./^-]+$/u;
const PATTERN = /^[\p{L}\p{N}_@%+=:,./~*?[\]!^-]+$/u;

export function nameOf(words: readonly ShellWord[]): string {
  return words[0]?.text.split('/').at(-1) ?? '';
}
