import type { ShellWord } from './shell-words.js';

/** What a command runs beside itself: commands, word by word, and code for a shell. */
export type Hidden = { commands: ShellWord[][]; code: string[]; problem?: string };

export const NOTHING: Hidden = { commands: [], code: [] };
/** In the place of a word that only a run would tell. */
export const UNKNOWN: ShellWord = { text: '', isKnown: false };

export function problem(text: string): Hidden {
  return { ...NOTHING, problem: text };
}

export function code(words: readonly ShellWord[]): Hidden {
  if (!words.every(({ isKnown }) => isKnown)) return problem('code in it is put together as it runs');
  return { ...NOTHING, code: [words.map(({ text }) => text).join(' ')] };
}
