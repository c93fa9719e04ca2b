import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from './error-code.js';

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Puts `content` at `path` (a real path) in one step: whoever reads sees the old file or the new one, and a crash
 * leaves one of them. Makes the folders above it, keeps the mode of a file that it replaces, refuses one that is
 * read-only or not a regular file. When it throws, an abort included, `path` is as it was.
 */
export async function writeAtomically(
  path: string,
  content: Uint8Array,
  signal: AbortSignal,
): Promise<{ created: boolean }> {
  const existing = await replaceable(path);
  await mkdir(dirname(path), { recursive: true });
  // Not named after the file: a name of 255 bytes has no room for a suffix.
  const temporary = join(dirname(path), `.holdfast-${randomUUID()}.tmp`);
  try {
    await writeSynced(temporary, content, existing);
    signal.throwIfAborted();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return { created: existing === undefined };
}

async function writeSynced(path: string, content: Uint8Array, existing: Stats | undefined): Promise<void> {
  // What replaces a private file must not be readable by others even while it is written.
  const handle = await open(path, NEW_FILE, existing === undefined ? 0o666 : 0o600);
  try {
    await handle.writeFile(content);
    if (existing !== undefined) await handle.chmod(existing.mode & 0o7777);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function replaceable(path: string): Promise<Stats | undefined> {
  let stats: Stats;
  try {
    stats = await lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (stats.isDirectory()) throw new Error('it is a directory, not a file');
  if (!stats.isFile()) throw new Error('it is not a regular file');
  // A rename needs no write permission on the file that it replaces; whoever took it away meant it.
  await access(path, constants.W_OK);
  return stats;
}
