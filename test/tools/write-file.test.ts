import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notDone } from '../../src/define/define-tool.js';
import { workbench } from './workbench.js';

describe('write_file', () => {
  it('creates a file and its folders', async () => {
    const { root, run } = workbench();

    const text = await run('write_file', { path: 'deep/er/a.txt', content: 'one\ntwo €' });

    expect(text).toBe('Wrote 11 bytes (2 lines) to deep/er/a.txt (created)');
    expect(readFileSync(join(root, 'deep/er/a.txt'), 'utf8')).toBe('one\ntwo €');
  });

  it.each([
    ['', '0 bytes (0 lines)'],
    ['a', '1 byte (1 line)'],
    ['a\n', '2 bytes (1 line)'],
    ['\n\n', '2 bytes (2 lines)'],
  ])('counts %j as %s', async (content, counts) => {
    expect(await workbench().run('write_file', { path: 'a', content })).toBe(
      `Wrote ${counts} to a (created)`,
    );
  });

  it('replaces a file and keeps its mode', async () => {
    const { root, run } = workbench();
    const path = join(root, 'run.sh');
    writeFileSync(path, 'a much longer content than the new one');
    chmodSync(path, 0o751);

    expect(await run('write_file', { path: 'run.sh', content: 'new' })).toContain('(replaced)');

    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o751);
  });

  it('takes a name as long as the file system allows', async () => {
    const { root, run } = workbench();
    const name = 'n'.repeat(255);
    await run('write_file', { path: name, content: 'x' });
    expect(readdirSync(root)).toEqual([name]);
  });

  it.each([
    ['a directory', 'folder', 'it is a directory'],
    ['the root', '.', 'it is a directory'],
    ['a name that ends with /', 'new/', 'names a directory'],
    ['a file below a file', 'file/a.txt', 'Cannot write "file/a.txt"'],
  ])('refuses %s and leaves nothing behind', async (_, path, problem) => {
    const { root, run } = workbench();
    mkdirSync(join(root, 'folder'));
    writeFileSync(join(root, 'file'), 'text');

    await expect(run('write_file', { path, content: 'x' })).rejects.toThrow(problem);

    expect(readdirSync(root, { recursive: true }).sort()).toEqual(['file', 'folder']);
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('text');
  });

  it.skipIf(process.getuid?.() === 0)('refuses a read-only file', async () => {
    const { root, run } = workbench();
    writeFileSync(join(root, 'a.txt'), 'old');
    chmodSync(join(root, 'a.txt'), 0o444);

    await expect(run('write_file', { path: 'a.txt', content: 'new' })).rejects.toThrow('EACCES');

    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old');
  });

  it('changes nothing and leaves nothing behind when it is interrupted before the end', async () => {
    const { root, run } = workbench();
    writeFileSync(join(root, 'a.txt'), 'old');
    const reason = new Error('interrupted');
    const abort = new AbortController();

    const running = run('write_file', { path: 'a.txt', content: 'n'.repeat(1e7) }, { signal: abort.signal });
    abort.abort(reason);

    await expect(running).rejects.toBe(reason);
    expect(readdirSync(root)).toEqual(['a.txt']);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('old');
  });

  it('never shows a reader a part of a file', async () => {
    const { root, run } = workbench();
    const path = join(root, 'a.txt');
    const contents = ['a'.repeat(2_000_000), 'b'.repeat(1_000_000)];
    await run('write_file', { path: 'a.txt', content: contents[0] });
    let writing = true;
    const writes = (async () => {
      for (let round = 1; round <= 20; round++)
        await run('write_file', { path: 'a.txt', content: contents[round % 2] });
      writing = false;
    })();

    const seen = new Set<string>();
    while (writing) {
      const handle = await open(path);
      const text = await handle.readFile('utf8');
      await handle.close();
      seen.add(`${text[0]} ${text.length} ${text.replaceAll(text.charAt(0), '').length}`);
    }
    await writes;

    expect([...seen].filter((text) => text !== 'a 2000000 0' && text !== 'b 1000000 0')).toEqual([]);
    expect(readdirSync(root)).toEqual(['a.txt']);
  });

  it('may not run twice nor beside others', () => {
    const tool = workbench().tool('write_file');
    expect([tool.idempotent, tool.parallel]).toEqual([false, false]);
  });

  it('may run beside writes and edits of other files, wherever links lead to', async () => {
    const { root, tool } = workbench();
    mkdirSync(join(root, 'src'));
    symlinkSync('src', join(root, 'link'));
    const keyOf = (name: string, path: string) => tool(name).concurrencyKey?.({ path });
    const key = await keyOf('write_file', 'src/New.ts');
    expect(key).toBe('src/new.ts');
    expect(await keyOf('edit_file', './link/../src/NEW.ts')).toBe(key);
    expect(await keyOf('edit_file', join(root, 'link/new.ts'))).toBe(key);
    expect(await keyOf('write_file', 'src/other.ts')).not.toBe(key);
    expect(await keyOf('write_file', '../outside')).toBeUndefined();
  });
});

describe('write_file, asked after a crash', () => {
  it('answers as the run would have, for any content that is in place', async () => {
    const { run, reconcile } = workbench();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (content) => {
        const text = await run('write_file', { path: 'a.txt', content });
        expect(text.startsWith(String(await reconcile('write_file', { path: 'a.txt', content })))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['another content', (root: string) => writeFileSync(join(root, 'a.txt'), 'other')],
    ['a content of the same length', (root: string) => writeFileSync(join(root, 'a.txt'), 'tixt')],
    ['no file', () => {}],
    ['a directory', (root: string) => mkdirSync(join(root, 'a.txt'))],
  ])('says that it was not done when there is %s', async (_, prepare) => {
    const { root, reconcile } = workbench();
    prepare(root);
    expect(await reconcile('write_file', { path: 'a.txt', content: 'text' })).toBe(notDone);
  });

  it('says that it was not done when the path would have been refused', async () => {
    expect(await workbench().reconcile('write_file', { path: '../a.txt', content: 'text' })).toBe(notDone);
  });
});
