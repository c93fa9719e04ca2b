import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codingTools } from '../../src/tools/coding-tools.js';
import { isInside, PathRefusedError, resolveInWorkspace } from '../../src/tools/workspace.js';
import { temporaryFolder, workbench } from './workbench.js';

/** A workspace `inside` with a neighbour `outside` that holds a secret. */
function neighbours() {
  const parent = temporaryFolder();
  const inside = join(parent, 'inside');
  const outside = join(parent, 'outside');
  mkdirSync(inside);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  return { inside, outside, bench: workbench({ root: inside }) };
}

describe('the workspace root', () => {
  it('is refused when it does not exist', () => {
    expect(() => codingTools({ root: '/no/such/folder' })).toThrow(
      'Workspace root "/no/such/folder" does not exist.',
    );
  });

  it('is refused when it is a file', () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(() => codingTools({ root: file })).toThrow('is not a folder');
  });

  it('may be a symlink', async () => {
    const { inside } = neighbours();
    const link = join(temporaryFolder(), 'link');
    symlinkSync(inside, link);
    const bench = workbench({ root: link });

    await bench.run('write_file', { path: 'a.txt', content: 'through the link' });

    expect(await bench.run('read_file', { path: join(link, 'a.txt') })).toContain('through the link');
    expect(readFileSync(join(inside, 'a.txt'), 'utf8')).toBe('through the link');
  });
});

describe('a path that stays inside', () => {
  it.each(['a.txt', './a.txt', 'folder/../a.txt', '..a/../a.txt', 'no/such/../../a.txt'])(
    '%s is taken',
    async (path) => {
      const { inside, bench } = neighbours();
      writeFileSync(join(inside, 'a.txt'), 'text');
      expect(await bench.run('read_file', { path })).toContain('text');
    },
  );

  it('may be absolute', async () => {
    const { inside, bench } = neighbours();
    writeFileSync(join(inside, 'a.txt'), 'text');
    expect(await bench.run('read_file', { path: join(inside, 'a.txt') })).toContain('text');
  });

  it('may go through a symlink to another file inside, also one that is not there yet', async () => {
    const { inside, bench } = neighbours();
    symlinkSync('real.txt', join(inside, 'link.txt'));

    await bench.run('write_file', { path: 'link.txt', content: 'text' });

    expect(readFileSync(join(inside, 'real.txt'), 'utf8')).toBe('text');
    expect(await bench.run('read_file', { path: 'link.txt' })).toContain('text');
  });
});

describe('a path that leads outside', () => {
  const ways: [string, (inside: string, outside: string) => string][] = [
    ['by ..', () => '../outside/secret.txt'],
    ['by .. in the middle', () => 'folder/../../outside/secret.txt'],
    ['by an absolute path', (_, outside) => join(outside, 'secret.txt')],
    [
      'to a folder whose name begins like the root',
      (inside) => {
        mkdirSync(`${inside}-too`);
        writeFileSync(`${inside}-too/secret.txt`, 'secret');
        return `${inside}-too/secret.txt`;
      },
    ],
    [
      'by a symlink to a file',
      (inside, outside) => {
        symlinkSync(join(outside, 'secret.txt'), join(inside, 'link'));
        return 'link';
      },
    ],
    [
      'by a relative symlink to a file',
      (inside) => {
        symlinkSync('../outside/secret.txt', join(inside, 'link'));
        return 'link';
      },
    ],
    [
      'by a symlink to a folder',
      (inside, outside) => {
        symlinkSync(outside, join(inside, 'link'));
        return 'link/secret.txt';
      },
    ],
    [
      'by a symlink to a symlink',
      (inside, outside) => {
        symlinkSync(outside, join(inside, 'second'));
        symlinkSync('second', join(inside, 'first'));
        return 'first/secret.txt';
      },
    ],
    [
      'to a new file in a symlinked folder',
      (inside, outside) => {
        symlinkSync(outside, join(inside, 'link'));
        return 'link/new/file.txt';
      },
    ],
    [
      'by a symlink that points to nothing yet',
      (inside, outside) => {
        symlinkSync(join(outside, 'new.txt'), join(inside, 'link'));
        return 'link';
      },
    ],
    [
      'by a symlink to nothing behind another one',
      (inside) => {
        symlinkSync('../outside/new.txt', join(inside, 'second'));
        symlinkSync('second', join(inside, 'first'));
        return 'first';
      },
    ],
    [
      'by a symlink to nothing in the middle',
      (inside, outside) => {
        symlinkSync(join(outside, 'new'), join(inside, 'link'));
        return 'link/file.txt';
      },
    ],
  ];

  it.each(ways)('is refused %s, and nothing outside changes', async (_, prepare) => {
    const { inside, outside, bench } = neighbours();
    const path = prepare(inside, outside);
    const refusal = `path ${JSON.stringify(path)} is outside the workspace`;

    await expect(bench.run('read_file', { path })).rejects.toThrow(refusal);
    await expect(bench.run('write_file', { path, content: 'x' })).rejects.toThrow(refusal);
    await expect(bench.run('edit_file', { path, old_text: 'secret', new_text: 'x' })).rejects.toThrow(
      refusal,
    );
    expect(readdirSync(outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
  });

  it('is refused when it holds a NUL byte', async () => {
    await expect(workbench().run('read_file', { path: 'a\0b' })).rejects.toThrow('contains a NUL byte');
  });

  it('is refused when its symlinks go in a circle', async () => {
    const bench = workbench();
    symlinkSync('b', join(bench.root, 'a'));
    symlinkSync('a', join(bench.root, 'b'));
    await expect(bench.run('read_file', { path: 'a' })).rejects.toThrow('loop of symlinks');
  });
});

it('no path of any segments resolves to outside', async () => {
  const { inside, outside } = neighbours();
  mkdirSync(join(inside, 'folder'));
  symlinkSync(outside, join(inside, 'out'));
  symlinkSync('..', join(inside, 'folder', 'up'));
  symlinkSync('../..', join(inside, 'folder', 'far'));
  symlinkSync('../outside/none', join(inside, 'dangling'));
  const segment = fc.oneof(
    fc.constantFrom('..', '.', '', 'folder', 'out', 'up', 'far', 'dangling', 'new', 'outside', 'inside'),
    fc.string({ maxLength: 8 }),
  );
  const path = fc
    .tuple(fc.constantFrom('', '/', `${inside}/`, `${outside}/`), fc.array(segment, { maxLength: 8 }))
    .map(([start, segments]) => start + segments.join('/'));

  await fc.assert(
    fc.asyncProperty(path, async (asked) => {
      let resolved: string;
      try {
        resolved = await resolveInWorkspace(inside, asked);
      } catch (error) {
        expect(error).toBeInstanceOf(PathRefusedError);
        return;
      }
      expect(isInside(inside, resolved)).toBe(true);
      expect(relative(inside, resolved).split('/')).not.toContain('..');
      // The deepest part that exists is where it says it is: no symlink is left in it.
      let existing = resolved;
      while (readable(existing) === undefined) existing = join(existing, '..');
      expect(readable(existing)).toBe(existing);
    }),
    { numRuns: 1_000 },
  );
});

function readable(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
