import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workbench } from './workbench.js';

function benchWith(content: string | Uint8Array, name = 'a.txt') {
  const bench = workbench();
  writeFileSync(join(bench.root, name), content);
  return { ...bench, read: (args: object = {}) => bench.run('read_file', { path: name, ...args }) };
}

const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

it('shows the lines with their numbers', async () => {
  expect(await benchWith('one\n\n  three\n').read()).toBe('     1\tone\n     2\t\n     3\t  three');
});

it('shows a last line without a newline', async () => {
  expect(await benchWith('one\ntwo').read()).toBe('     1\tone\n     2\ttwo');
});

it('begins at the offset and ends at the limit, and tells how to go on', async () => {
  const text = await benchWith(numbers(10)).read({ offset: 3, limit: 2 });
  expect(text).toBe(
    '     3\tline 3\n     4\tline 4\n\n[lines 3 to 4 of 10, 43 more bytes; go on with offset=5]',
  );
});

it('shows 2000 lines when no limit is given', async () => {
  const text = await benchWith(numbers(2_500)).read();
  expect(text).toContain('  2000\tline 2000\n');
  expect(text).not.toContain('\tline 2001\n');
  expect(text).toContain('[lines 1 to 2000 of 2500,');
  expect(text).toMatch(/go on with offset=2001\]$/);
});

it('stops at the byte cap; page after page give the whole file', async () => {
  const content = Array.from({ length: 400 }, (_, index) => `${index} ${'é'.repeat(300)}\n`).join('');
  const { read } = benchWith(content);
  let offset: number | undefined = 1;
  let joined = '';
  let pages = 0;
  while (offset !== undefined) {
    const page = await read({ offset });
    expect(Buffer.byteLength(page)).toBeLessThan(102_000);
    const next: string | undefined = /go on with offset=(\d+)\]$/.exec(page)?.[1];
    joined += page.replace(/\n\n\[.*\]$/, '').replace(/^ *\d+\t(.*)$/gm, '$1');
    joined += '\n';
    offset = next === undefined ? undefined : Number(next);
    pages++;
  }
  expect(pages).toBe(3);
  expect(joined).toBe(content);
});

it('cuts a very long line with a mark that tells how much is missing', async () => {
  const text = await benchWith(`${'x'.repeat(1_000_000)}\nshort\n`).read();
  expect(text).toBe(`     1\t${'x'.repeat(2_000)}… [line cut: 998000 more bytes]\n     2\tshort`);
});

it('cuts a long line between characters', async () => {
  const text = await benchWith(`a${'😀'.repeat(10_000)}`).read();
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toContain('\ufffd');
  expect(text).toContain(`a${'😀'.repeat(999)}… [line cut: 36004 more bytes]`);
});

it('keeps a character that is split over two reads', async () => {
  expect(await benchWith(`${'x'.repeat(99)}\n`.repeat(655) + '€'.repeat(30)).read({ offset: 656 })).toBe(
    `   656\t${'€'.repeat(30)}`,
  );
});

it('says when the lines end in CRLF, and leaves the \\r out', async () => {
  expect(await benchWith('one\r\ntwo\r\nthree').read()).toBe(
    '     1\tone\n     2\ttwo\n     3\tthree\n\n[line endings: CRLF]',
  );
});

it('marks the CRLF lines of a file with mixed line endings', async () => {
  expect(await benchWith('one\r\ntwo\n').read()).toBe(
    '     1\tone␍\n     2\ttwo\n\n[mixed line endings: those marked ␍ are CRLF]',
  );
});

it('says that an empty file is empty', async () => {
  expect(await benchWith('').read()).toBe('[a.txt is empty]');
});

it('tells how many lines there are when the offset is past the end', async () => {
  await expect(benchWith('one\ntwo\n').read({ offset: 3 })).rejects.toThrow(
    'Offset 3 is past the end of "a.txt", which has 2 lines.',
  );
});

it.each([
  ['a NUL byte', Buffer.from([1, 0, 2])],
  ['bytes that are no UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0x62])],
  ['half a character at its end', Buffer.from('é').subarray(0, 1)],
])('refuses a file with %s as binary, with its size', async (_, content) => {
  await expect(benchWith(content).read()).rejects.toThrow(
    `"a.txt" is a binary file of ${content.length} byte`,
  );
});

it('names similar files when there is no such file', async () => {
  const bench = workbench();
  mkdirSync(join(bench.root, 'src'));
  for (const name of ['server.ts', 'Client.ts', 'unrelated.md'])
    writeFileSync(join(bench.root, 'src', name), '');

  await expect(bench.run('read_file', { path: 'src/sever.ts' })).rejects.toThrow(
    /^There is no file "src\/sever.ts". Similar names: src\/server.ts$/,
  );
  await expect(bench.run('read_file', { path: 'src/client.js' })).rejects.toThrow(
    'Similar names: src/Client.ts',
  );
  await expect(bench.run('read_file', { path: 'src/zzz' })).rejects.toThrow(/^There is no file "src\/zzz".$/);
});

it('says when the folder is missing too, or is a file', async () => {
  const bench = benchWith('text');
  await expect(bench.run('read_file', { path: 'no/a.txt' })).rejects.toThrow(
    'There is no file "no/a.txt". There is no directory "no" either.',
  );
  await expect(bench.read({ path: 'a.txt/b' })).rejects.toThrow('There is no directory "a.txt" either.');
});

it('shows the entries when it is a directory', async () => {
  const bench = benchWith('text');
  mkdirSync(join(bench.root, 'sub'));
  await expect(bench.run('read_file', { path: '.' })).rejects.toThrow(
    '"." is a directory, not a file. Its entries: a.txt, sub/',
  );
});

it('refuses a FIFO instead of waiting for a writer', async () => {
  const bench = workbench();
  await bench.run('bash', { command: 'mkfifo fifo' });
  await expect(bench.run('read_file', { path: 'fifo' })).rejects.toThrow('"fifo" is not a regular file');
});

it('reads a page of a 10 GB file without holding it', async () => {
  const bench = benchWith(numbers(10_000));
  truncateSync(join(bench.root, 'a.txt'), 10 * 2 ** 30);
  const before = process.memoryUsage().rss;

  const text = await bench.read({ offset: 9_999, limit: 2 });

  expect(text).toContain('  9999\tline 9999\n 10000\tline 10000\n\n[10737319346 more bytes;');
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
});

it('shows the lines around a scar of NUL bytes in a text, but not the scar', async () => {
  const { read } = benchWith(`${numbers(2_000)}a\0\0b\nafter\n`);
  expect(await read({ limit: 1 })).toContain('line 1\n');
  expect(await read({ offset: 2_002 })).toBe('  2002\tafter');
  await expect(read({ offset: 2_000 })).rejects.toThrow('line 2001 contains NUL bytes');
});

it('tells the bytes that are left when there is too much to count the lines', async () => {
  const bench = benchWith('');
  const line = `${'x'.repeat(1_023)}\n`;
  writeFileSync(join(bench.root, 'a.txt'), Buffer.alloc(80 * 2 ** 20, line));
  const text = await bench.read({ limit: 1 });
  expect(text).toMatch(new RegExp(`\\[${80 * 2 ** 20 - 1_024} more bytes; go on with offset=2\\]$`));
});

it('stops when it is interrupted', async () => {
  const reason = new Error('interrupted');
  const bench = benchWith('text');
  await expect(bench.run('read_file', { path: 'a.txt' }, { signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
});

it('may run twice and beside others', () => {
  const tool = workbench().tool('read_file');
  expect([tool.idempotent, tool.parallel]).toEqual([true, true]);
});
