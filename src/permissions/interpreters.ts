import { code, type Hidden, NOTHING, problem } from './hidden.js';
import type { ShellWord } from './shell-words.js';

/** Shells whose code is read as Bash's. */
const SHELLS = /^((static|posix)-)?(ba|da|a|k|mk|r|rba|ya|lk|pdk|ok)?sh([-.]?[\d.]+)?(\.\w+)?$/;
const OTHER_SHELLS = /^(zsh|fish|csh|tcsh|pwsh|powershell|nu|xonsh|elvish)$/;
const INTERPRETERS =
  /^(python|ipython|pypy|perl|ruby|node|nodejs|ts-node|tsx|deno|bun|php|lua|luajit|osascript|tclsh|julia|r|rscript|octave|ghci|groovy|scala|elixir|erl)[\d.]*$/;
const INLINE = /^(-[a-zA-Z]*[cerEpF]|-e.*|--(eval|print|exec|run)(=.*)?|(--import=)?data:.*|eval|-)$/;
const INLINE_OF: Readonly<Record<string, RegExp>> = { perl: /^-\w*[nM]/, ruby: /^-\w*n/, php: /^-[BR]$/ };

/** What a shell or an interpreter is given to run; undefined of any other program. */
export function hiddenInInterpreter(name: string, words: readonly ShellWord[]): Hidden | undefined {
  if (SHELLS.test(name)) return shellCode(words);
  if (OTHER_SHELLS.test(name)) return problem(`code for ${name} can not be checked`);
  if (INTERPRETERS.test(name)) return interpreted(name, words);
  return undefined;
}

/** `sh -c CODE`, `sh FILE`, or commands from the input. */
function shellCode(words: readonly ShellWord[]): Hidden {
  let hasCode = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word?.isKnown) return problem('what a shell in it runs is not written out');
    const { text } = word;
    if (/^[-+][^-]/.test(text)) {
      hasCode ||= text.startsWith('-') && text.includes('c');
      if (text.includes('s')) return problem('a shell in it reads commands from its input');
      if (/[oO]$/.test(text)) at += 1;
    } else if (/^--(rcfile|init-file)$/.test(text)) at += 1;
    else if (text !== '--' && text.startsWith('--')) continue;
    else if (text === '--') continue;
    else if (hasCode) return code([word]);
    else if (text === '-' || text.startsWith('/dev/')) break;
    else return NOTHING;
  }
  return problem('a shell in it reads commands from its input');
}

/** A file of code is like any program; code in an argument or in the input can't be read here. */
function interpreted(name: string, words: readonly ShellWord[]): Hidden {
  const isInline = words.some(({ text }) => INLINE.test(text) || INLINE_OF[name]?.test(text));
  const isFromInput = !words.some(
    ({ text, isKnown }) => isKnown && (!text.startsWith('-') || text.length > 1),
  );
  if (!isInline && !isFromInput && words.every(({ isKnown }) => isKnown)) return NOTHING;
  return problem(`the ${name} code in it can not be checked`);
}
