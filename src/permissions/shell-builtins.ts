import { code, type Hidden, NOTHING, problem } from './hidden.js';
import type { ShellWord } from './shell-words.js';

/** What a builtin of Bash runs of its arguments; undefined of any other command, and of builtins that are wrappers. */
export function hiddenInBuiltin(name: string, words: readonly ShellWord[]): Hidden | undefined {
  switch (name) {
    case 'eval':
      return code(words[0]?.text === '--' ? words.slice(1) : words);
    case 'trap':
      return words.length > 1 ? code(words.filter(({ text }) => text !== '--').slice(0, 1)) : NOTHING;
    case 'bind':
    case 'compgen':
    case 'complete':
    case 'enable':
    case 'fc':
    case 'let':
      return problem(`what ${name} runs can not be checked`);
    case 'alias':
    case 'hash':
    case 'mapfile':
    case 'readarray':
      return words.every(isPlainName) ? NOTHING : problem(`what ${name} sets may run commands`);
    case 'command':
      // It only says where a command is.
      return /^-[pvV]*[vV]/.test(words[0]?.text ?? '') ? NOTHING : undefined;
    case 'declare':
    case 'typeset':
    case 'local':
    case 'export':
    case 'readonly':
    case 'read':
    case 'printf':
    case 'unset':
    case 'wait':
    case 'getopts':
    case 'test':
    case '[':
      return ofVariables(name, words);
    case 'source':
    case '.':
      return words[0]?.isKnown === false || words[0]?.text.startsWith('/dev/')
        ? problem('what it sources is not a file')
        : NOTHING;
    default:
      return undefined;
  }
}

/** With `-C` and `-p` it is given a command or a path of its own. */
function isPlainName({ text, isKnown }: ShellWord): boolean {
  return isKnown && /^[\w-]+$/.test(text) && text !== '-C' && text !== '-p';
}

/** Builtins that are given names of variables, whose index is computed. */
function ofVariables(name: string, words: readonly ShellWord[]): Hidden {
  const isText = name === 'printf' || name === 'test' || name === '[';
  const hasIndex = words.some(({ text }, at) => {
    if (/\[.*[$`]/s.test(text)) return true;
    return /^\w+\[(?!(\d+|[@*])\])/.test(text) && (!isText || /^-[vR]$/.test(words[at - 1]?.text ?? ''));
  });
  if (hasIndex) return problem('an index in it may run commands');
  const computes = /^(declare|typeset|local|export|readonly)$/.test(name);
  return computes && words.some(({ text }) => /^[-+]\w*i/.test(text))
    ? problem('what it sets is computed')
    : NOTHING;
}
