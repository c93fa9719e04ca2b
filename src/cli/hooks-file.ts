import { basename } from 'node:path';
import type { Hooks } from '../define/hooks.js';
import { commandHooks } from '../hooks/command-hooks.js';
import { UsageError } from './usage-error.js';

/** What `--hooks` names; its commands run in `cwd`. Throws a UsageError that says what is wrong with it. */
export function hooksOfFile(path: string | undefined, cwd?: string): Hooks[] {
  if (path === undefined) return [];
  const name = basename(path)
    .replaceAll(/[^\w.-]/g, '_')
    .slice(0, 64);
  try {
    return [commandHooks(path, { name, ...(cwd !== undefined && { cwd }) })];
  } catch (error) {
    throw new UsageError(`--hooks: ${error instanceof Error ? error.message : String(error)}`);
  }
}
