import { nameOf, type ShellWord } from './shell-words.js';

/** What a command runs beside itself: commands, word by word, and code for a shell. */
export type Hidden = { commands: ShellWord[][]; code: string[]; problem?: string };

const NOTHING: Hidden = { commands: [], code: [] };
const UNKNOWN: ShellWord = { text: '', isKnown: false };

/** Shells whose code is read as Bash's. */
const SHELLS = /^((static|posix)-)?(ba|da|a|k|mk|r|rba|ya|lk|pdk|ok)?sh([-.]?[\d.]+)?(\.\w+)?$/;
const OTHER_SHELLS = /^(zsh|fish|csh|tcsh|pwsh|powershell|nu|xonsh|elvish)$/;
const INTERPRETERS =
  /^(python|ipython|pypy|perl|ruby|node|nodejs|ts-node|tsx|deno|bun|php|lua|luajit|osascript|tclsh|julia|r|rscript|octave|ghci|groovy|scala|elixir|erl)[\d.]*$/;

/** Programs that run the command in their arguments: which options take a value, and how many words come before it. */
const WRAPPERS: Readonly<Record<string, { values?: string; flags?: string; skip?: number }>> = {
  sudo: { values: 'ugCDhpRrTtU', flags: 'AbEeHKklnPSVv' },
  doas: { values: 'uCa', flags: 'Lns' },
  env: { values: 'uCS', flags: 'i0v' },
  nohup: {},
  setsid: { flags: 'cfw' },
  time: { values: 'fo', flags: 'pvaq' },
  timeout: { values: 'ks', flags: 'fpv', skip: 1 },
  nice: { values: 'n', flags: '0123456789' },
  ionice: { values: 'cnpPu', flags: 't' },
  chrt: { values: 'TPD', flags: 'abdefiomprv', skip: 1 },
  taskset: { flags: 'apc', skip: 1 },
  stdbuf: { values: 'ioe' },
  unbuffer: { flags: 'p' },
  command: { flags: 'pvV' },
  builtin: {},
  exec: { values: 'a', flags: 'cl' },
  coproc: {},
  xargs: { values: 'adEILnPs', flags: '0oprtx' },
  chroot: { skip: 1 },
  flock: { values: 'wE', flags: 'suxneoFv', skip: 1 },
  strace: { values: 'abeIkoOpPsSuUX', flags: 'cCdDfFhiknqrtTvVwxyYz' },
  ltrace: { values: 'aAeFlnopsuwx', flags: 'bcCfhiLrStTV' },
  busybox: {},
  toybox: {},
  caffeinate: { values: 'tw', flags: 'dimsu' },
  firejail: {},
  fakeroot: { flags: 'u' },
};

/** What the words of a command run beside the program that they name. */
export function hiddenIn(words: readonly ShellWord[]): Hidden {
  const [first, ...rest] = words;
  if (!first) return NOTHING;
  if (!first.isKnown || /[*?[]/.test(first.text.replace(/^\[+$/, '')))
    return problem('the name of a command in it is not written out');
  // Where a file system knows no case, neither do names of programs.
  const name = nameOf(words).toLowerCase();
  if (SHELLS.test(name)) return shellCode(rest);
  if (OTHER_SHELLS.test(name)) return problem(`code for ${name} can not be checked`);
  if (INTERPRETERS.test(name)) return interpreted(name, rest);
  switch (name) {
    case 'eval':
      return code(rest[0]?.text === '--' ? rest.slice(1) : rest);
    case 'compgen':
    case 'complete':
    case 'bind':
    case 'enable':
    case 'fc':
    case 'at':
    case 'batch':
    case 'crontab':
    case 'ed':
    case 'm4':
    case 'expect':
      return problem(`what ${name} runs can not be checked`);
    case 'trap':
      return rest.length > 1 ? code(rest.filter(({ text }) => text !== '--').slice(0, 1)) : NOTHING;
    case 'alias':
    case 'hash':
    case 'mapfile':
    case 'readarray':
      return rest.length > 0 &&
        !rest.every(({ text, isKnown }) => isKnown && /^[\w-]+$/.test(text) && text !== '-C' && text !== '-p')
        ? problem(`what ${name} sets may run commands`)
        : NOTHING;
    case 'command':
      return /^-[pvV]*[vV]/.test(rest[0]?.text ?? '') ? NOTHING : wrapped(name, rest);
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
      return ofVariables(name, rest);
    case 'watch':
    case 'ssh':
    case 'parallel':
    case 'su':
    case 'runuser':
    case 'script':
    case 'let':
      return problem(`what ${name} runs can not be checked`);
    case 'source':
    case '.':
      return rest[0]?.isKnown === false || rest[0]?.text.startsWith('/dev/')
        ? problem('what it sources is not a file')
        : NOTHING;
    case 'find':
      return ofFind(rest);
    case 'git':
      return rest.some(({ text }) => /^(-c|--config-env|--exec-path)/.test(text))
        ? problem('git options in it may run commands')
        : NOTHING;
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      return rest.some(({ text, isKnown }) => !isKnown || /system|\||getline|@load/.test(text))
        ? problem(`the ${name} program in it may run commands`)
        : NOTHING;
    default:
      return wrapped(name, rest);
  }
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

function problem(text: string): Hidden {
  return { ...NOTHING, problem: text };
}

function code(words: readonly ShellWord[]): Hidden {
  if (!words.every(({ isKnown }) => isKnown)) return problem('code in it is put together as it runs');
  return { ...NOTHING, code: [words.map(({ text }) => text).join(' ')] };
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

const INLINE = /^(-[a-zA-Z]*[cerEpF]|-e.*|--(eval|print|exec|run)(=.*)?|(--import=)?data:.*|eval|-)$/;
const INLINE_OF: Readonly<Record<string, RegExp>> = { perl: /^-\w*[nM]/, ruby: /^-\w*n/, php: /^-[BR]$/ };

/** A file of code is like any program; code in an argument or in the input can't be read here. */
function interpreted(name: string, words: readonly ShellWord[]): Hidden {
  const isInline = words.some(({ text }) => INLINE.test(text) || INLINE_OF[name]?.test(text));
  const isFromInput = !words.some(
    ({ text, isKnown }) => isKnown && (!text.startsWith('-') || text.length > 1),
  );
  if (!isInline && !isFromInput && words.every(({ isKnown }) => isKnown)) return NOTHING;
  return problem(`the ${name} code in it can not be checked`);
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

function wrapped(name: string, words: readonly ShellWord[]): Hidden {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (!wrapper) return NOTHING;
  const { values = '', flags = '', skip = 0 } = wrapper;
  let [at, toSkip] = [0, skip];
  for (; at < words.length; at++) {
    const { text, isKnown } = words[at] ?? UNKNOWN;
    if (!isKnown) return problem(`what ${name} runs is not written out`);
    if (name === 'env' && /^-.*S|^--split-string/.test(text)) return problem('env splits a text of its own');
    if (text === '--') continue;
    if (text.startsWith('--')) {
      if (!text.includes('=')) return problem(`the option ${text} of ${name} is not known here`);
    } else if (/^-./.test(text)) {
      const letters = [...text.slice(1)];
      const index = letters.findIndex((each) => !flags.includes(each));
      const letter = letters[index];
      if (letter !== undefined && !values.includes(letter))
        return problem(`the option ${text} of ${name} is not known here`);
      if (letter === 'I' && name === 'xargs') return problem('xargs puts its input into the command');
      // Its value is the next word, where it is not in this one.
      if (index >= 0 && index === letters.length - 1) at += 1;
    } else if (/^[A-Za-z_]\w*=/.test(text) && (name === 'env' || name === 'sudo' || name === 'doas'))
      continue;
    else if (toSkip > 0) toSkip -= 1;
    else break;
  }
  const inner = words.slice(at);
  if (inner.length === 0) return NOTHING;
  if (name === 'flock' && inner[0]?.text === '-c') return code(inner.slice(1, 2));
  return { ...NOTHING, commands: [name === 'xargs' ? [...inner, UNKNOWN] : inner] };
}
