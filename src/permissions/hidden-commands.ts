import { type Hidden, NOTHING, problem, UNKNOWN } from './hidden.js';
import { hiddenInInterpreter } from './interpreters.js';
import { hiddenInBuiltin } from './shell-builtins.js';
import { nameOf, type ShellWord } from './shell-words.js';
import { hiddenInWrapper } from './wrappers.js';

/** What the words of a command run beside the program that they name. */
export function hiddenIn(words: readonly ShellWord[]): Hidden {
  const [first, ...rest] = words;
  if (!first) return NOTHING;
  if (!first.isKnown || /[*?[]/.test(first.text.replace(/^\[+$/, '')))
    return problem('the name of a command in it is not written out');
  // Where a file system knows no case, neither do names of programs.
  const name = nameOf(words).toLowerCase();
  return (
    hiddenInInterpreter(name, rest) ??
    hiddenInBuiltin(name, rest) ??
    hiddenInProgram(name, rest) ??
    hiddenInWrapper(name, rest)
  );
}

/** Of programs that take commands in a way of their own, as `find -exec` does; undefined of any other. */
function hiddenInProgram(name: string, words: readonly ShellWord[]): Hidden | undefined {
  switch (name) {
    case 'at':
    case 'batch':
    case 'crontab':
    case 'ed':
    case 'expect':
    case 'm4':
    case 'parallel':
    case 'runuser':
    case 'script':
    case 'ssh':
    case 'su':
    case 'watch':
      return problem(`what ${name} runs can not be checked`);
    case 'find':
      return ofFind(words);
    case 'git':
      return words.some(({ text }) => /^(-c|--config-env|--exec-path)/.test(text))
        ? problem('git options in it may run commands')
        : NOTHING;
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      return words.some(({ text, isKnown }) => !isKnown || /system|\||getline|@load/.test(text))
        ? problem(`the ${name} program in it may run commands`)
        : NOTHING;
    default:
      return undefined;
  }
}

function ofFind(words: readonly ShellWord[]): Hidden {
  const commands: ShellWord[][] = [];
  for (let at = 0; at < words.length; at++) {
    if (!words[at]?.isKnown) return { ...NOTHING, commands, problem: 'what find runs is not written out' };
    if (!/^-(exec|execdir|ok|okdir)$/.test(words[at]?.text ?? '')) continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex(({ text }) => text === ';' || text === '+');
    const inner = end < 0 ? rest : rest.slice(0, end);
    commands.push(inner.map((word) => (word.text.includes('{}') ? UNKNOWN : word)));
    at += inner.length;
  }
  return { commands, code: [] };
}
