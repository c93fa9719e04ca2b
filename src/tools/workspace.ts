import { realpathSync, statSync } from 'node:fs';
import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorCode } from './error-code.js';

/** As many links in a row as Linux follows before it calls them a loop. */
const MAX_LINKS = 40;

/** The path was refused before anything was opened; the message is for the model. */
export class PathRefusedError extends Error {
  override readonly name = 'PathRefusedError';
}

/**
 * The real path of the folder that the tools may touch; it may be given through a symlink. Throws an Error that names
 * it when it doesn't exist or is no folder: at the definition, not in the middle of a turn.
 */
export function workspaceRoot(root: string): string {
  const path = resolve(root);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`Workspace root ${JSON.stringify(path)} does not exist.`);
  if (!stats.isDirectory()) throw new Error(`Workspace root ${JSON.stringify(path)} is not a folder.`);
  return realpathSync(path);
}

/**
 * The real path that a path given by the model means: relative to `root` (a real path), or absolute and inside it.
 * Every symlink on the way is followed first, also those of a file that doesn't exist yet and those that point to
 * nothing, so that the answer has none left. Throws {@link PathRefusedError} for whatever leads outside.
 *
 * Between this answer and the opening somebody may put a symlink in the way: open with O_NOFOLLOW.
 */
export async function resolveInWorkspace(root: string, path: string): Promise<string> {
  const shown = JSON.stringify(path);
  if (path === '') throw new PathRefusedError('path is empty');
  if (path.includes('\0')) throw new PathRefusedError(`path ${shown} contains a NUL byte`);
  const real = await realPathOf(resolve(root, path), MAX_LINKS, shown);
  if (!isInside(root, real)) throw new PathRefusedError(`path ${shown} is outside the workspace`);
  return real;
}

/** What rules of permissions look at of a tool with a `path`: where it really leads, relative to `root`. */
export function pathSubject(root: string) {
  return {
    argument: 'path',
    as: 'path' as const,
    resolve: async (path: string) => relative(root, await resolveInWorkspace(root, path)),
  };
}

/**
 * The concurrency key of a tool with a `path`: where it really leads, relative to `root`, without regard to case, as some
 * file systems have none. A path that the tool will refuse has none.
 */
export function fileKey(root: string) {
  return async ({ path }: { path: string }): Promise<string | undefined> => {
    try {
      const real = relative(root, await resolveInWorkspace(root, path));
      return real.normalize('NFC').toLowerCase();
    } catch {
      return undefined;
    }
  };
}

/** Whether `path` is `root` or below it. Both are absolute and normalised; the file system isn't asked. */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function realPathOf(path: string, linksLeft: number, shown: string): Promise<string> {
  if (linksLeft === 0) throw new PathRefusedError(`path ${shown} goes through too many symlinks`);
  try {
    return await realpath(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ELOOP') throw new PathRefusedError(`path ${shown} goes through a loop of symlinks`);
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(path) === path) throw error;
  }
  const parent = await realPathOf(dirname(path), linksLeft, shown);
  const real = join(parent, basename(path));
  const target = await linkTarget(real);
  return target === undefined ? real : realPathOf(resolve(parent, target), linksLeft - 1, shown);
}

/** Where the symlink at `path` points to; undefined when there is no symlink. */
async function linkTarget(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
