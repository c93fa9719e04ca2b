import { realpathSync, statSync } from 'node:fs';
import { UsageError } from './usage-error.js';

/** The folder that an agent works in, by its real path. Throws a UsageError where there is none. */
export function workspace(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new UsageError(`There is no folder ${path}. Give an existing one with --workspace.`);
  if (!found.isDirectory())
    throw new UsageError(`${path} is a file. Give the folder that it is in with --workspace.`);
  return realpathSync(path);
}
