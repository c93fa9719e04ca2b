import { constants } from 'node:fs';
import { type FileHandle, open, opendir } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { similarNames } from '../shared/similar-names.js';
import { errorCode } from './error-code.js';
import { listed } from './wording.js';
import { isInside, resolveInWorkspace } from './workspace.js';

/** What is at a path. A `file` is open and the receiver closes it. */
type Opened =
  | { type: 'file'; path: string; handle: FileHandle; size: number }
  | { type: 'missing'; path: string }
  | { type: 'folder'; path: string }
  | { type: 'special'; path: string };

const LISTED_ENTRIES = 50;
const READ_ENTRIES = 5_000;
// Without O_NONBLOCK, opening a FIFO waits for a writer, perhaps for ever.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens what the model's path means, for reading. Throws `PathRefusedError`, or Node's error (no permission). */
export async function openInWorkspace(root: string, asked: string): Promise<Opened> {
  const path = await resolveInWorkspace(root, asked);
  let handle: FileHandle;
  try {
    handle = await open(path, READ_FLAGS);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { type: 'missing', path };
    if (code === 'ENXIO' || code === 'EOPNOTSUPP') return { type: 'special', path };
    throw error;
  }
  try {
    const stats = await handle.stat();
    if (stats.isFile()) return { type: 'file', path, handle, size: stats.size };
    await handle.close();
    return { type: stats.isDirectory() ? 'folder' : 'special', path };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** As {@link openInWorkspace}, but throws an error that helps the model go on when there is no regular file. */
export async function openRegularFile(
  root: string,
  asked: string,
): Promise<{ path: string; handle: FileHandle; size: number }> {
  const opened = await openInWorkspace(root, asked);
  const shown = JSON.stringify(asked);
  switch (opened.type) {
    case 'file':
      return opened;
    case 'missing':
      throw new Error(`There is no file ${shown}.${await hintForMissing(root, opened.path)}`);
    case 'folder':
      throw new Error(
        `${shown} is a directory, not a file. Its entries: ${listed(await entriesOf(opened.path), LISTED_ENTRIES) || 'none'}`,
      );
    case 'special':
      throw new Error(`${shown} is not a regular file (a device, a FIFO or a socket).`);
    default:
      return opened satisfies never;
  }
}

async function hintForMissing(root: string, path: string): Promise<string> {
  const folder = dirname(path);
  const entries = isInside(root, folder) ? await entriesIfFolder(folder) : undefined;
  if (entries === undefined)
    return ` There is no directory ${JSON.stringify(relative(root, folder))} either.`;
  const near = similarNames(basename(path), entries).map((name) => relative(root, `${folder}/${name}`));
  return near.length === 0 ? '' : ` Similar names: ${near.join(', ')}`;
}

async function entriesIfFolder(folder: string): Promise<string[] | undefined> {
  try {
    return await entriesOf(folder);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of await opendir(folder)) {
    names.push(entry.isDirectory() ? `${entry.name}/` : entry.name);
    if (names.length === READ_ENTRIES) break;
  }
  return names.sort();
}
