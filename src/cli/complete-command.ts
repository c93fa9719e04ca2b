import type { Command } from 'commander';
import { AgentClient } from '../client/agent-client.js';
import { findServer } from '../server/embedded.js';
import { completionsOf, type Word } from './completion/completions.js';
import { oneLine } from './table.js';
import { listTurnIds } from './turns/list-turns.js';

/** Nobody waits longer for a Tab. */
const SERVER_MS = 1500;
const MOST_TURNS = 50;

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
  const words = found.kind === 'words' ? found.words : await turnWords(found.prefix);
  process.stdout.write(words.map(({ word, description }) => `${word}\t${oneLine(description)}\n`).join(''));
  // A server that does not answer must not keep the process.
  process.exit(0);
}

async function turnWords(prefix: string): Promise<Word[]> {
  const late = new Promise<Word[]>((resolve) => setTimeout(resolve, SERVER_MS, []));
  return await Promise.race([late, readTurnWords(prefix).catch(() => [])]);
}

async function readTurnWords(prefix: string): Promise<Word[]> {
  const server = await findServer();
  if (!server) return [];
  const { address, namespace } = server;
  const { client } = await AgentClient.connect({ address, namespace });
  const ids = await listTurnIds(client, prefix, MOST_TURNS);
  return ids.map((word) => ({ word, description: '' }));
}
