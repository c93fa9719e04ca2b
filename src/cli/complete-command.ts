import type { Command } from 'commander';
import { completionsOf, type Word } from './completion/completions.js';
import { oneLine } from './table.js';

/** Nobody waits longer for a Tab. */
const SERVER_MS = 5000;

/**
 * `holdfast __complete`, which the scripts of `holdfast completion` call: a line for each word, a tab, what it means;
 * or `:files` or `:folders`. What goes wrong completes nothing.
 */
export async function completeCommand(program: Command, typed: readonly string[]): Promise<void> {
  const found = completionsOf(program, typed);
  if (found.kind === 'files' || found.kind === 'folders') {
    process.stdout.write(`:${found.kind}\n`);
    return;
  }
  const words = found.kind === 'words' ? found.words : await onServer(found.kind, found.prefix);
  process.stdout.write(
    words.map(({ word, description }) => `${word}\t${oneLine(description)}\n`).join(''),
    () =>
      // A server that does not answer must not keep the process.
      process.exit(0),
  );
}

async function onServer(kind: 'turns' | 'sessions', prefix: string): Promise<Word[]> {
  const late = new Promise<Word[]>((resolve) => setTimeout(resolve, SERVER_MS, []));
  // What asks the server takes a while to load, and is not needed for anything else.
  const read = import('./completion/id-words.js').then(({ idWords }) => idWords(kind, prefix));
  return await Promise.race([late, read.catch(() => [])]);
}
