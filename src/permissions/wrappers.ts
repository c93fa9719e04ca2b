import { code, type Hidden, NOTHING, problem, UNKNOWN } from './hidden.js';
import type { ShellWord } from './shell-words.js';

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

/** The command in a wrapper's arguments; nothing of a program that is none. */
export function hiddenInWrapper(name: string, words: readonly ShellWord[]): Hidden {
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
