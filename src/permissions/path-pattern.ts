import { posix } from 'node:path';
import { Wildcard } from './wildcard.js';

/**
 * A pattern of paths, as in `.gitignore`: `*` and `?` stay within a folder, `**` goes through any number of them; one
 * without a slash names files and folders at any depth; what names a folder covers all that is in it. Paths are relative
 * to the workspace.
 */
export class PathPattern {
  readonly #segments: readonly ('**' | Wildcard)[];

  constructor(pattern: string) {
    const isAnchored = pattern.replace(/\/+$/, '').includes('/');
    const parts = segmentsOf(pattern);
    this.#segments = (isAnchored ? parts : ['**', ...parts]).map((part) =>
      part === '**' ? part : new Wildcard(part, { one: true }),
    );
  }

  matches(path: string): boolean {
    return this.#matchesFrom(segmentsOf(path));
  }

  /** Each row says which first parts of the pattern the segments so far fit; so it takes no time to speak of. */
  #matchesFrom(segments: readonly string[]): boolean {
    const patterns = this.#segments;
    let reached = new Set([0]);
    for (let at = 0; ; at++) {
      const open = withEmptyDepth(reached, patterns);
      // The pattern is used up: it names this file or folder, and covers all below.
      if (open.has(patterns.length)) return true;
      const segment = segments[at];
      if (segment === undefined) return false;
      reached = new Set();
      for (const index of open) {
        const pattern = patterns[index];
        if (pattern === '**') reached.add(index);
        else if (pattern?.matches(segment)) reached.add(index + 1);
      }
    }
  }
}

function withEmptyDepth(reached: ReadonlySet<number>, patterns: readonly unknown[]): Set<number> {
  const open = new Set(reached);
  for (const index of open) if (patterns[index] === '**') open.add(index + 1);
  return open;
}

function segmentsOf(path: string): string[] {
  return plainPath(path)
    .split('/')
    .filter((part) => part !== '' && part !== '.');
}

/** Without `.`, `..` and doubled slashes, where the text alone tells. */
export function plainPath(path: string): string {
  return posix.normalize(path);
}
