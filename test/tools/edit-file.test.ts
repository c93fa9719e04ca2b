import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { workbench } from './workbench.js';

function benchWith(content: string | Uint8Array) {
  const bench = workbench();
  const path = join(bench.root, 'a.txt');
  writeFileSync(path, content);
  return {
    ...bench,
    path,
    content: () => readFileSync(path, 'utf8'),
    edit: (old_text: string, new_text: string, more: object = {}) =>
      bench.run('edit_file', { path: 'a.txt', old_text, new_text, ...more }),
  };
}

it('replaces the one match and tells its line', async () => {
  const { edit, content } = benchWith('one\ntwo\nthree\n');
  expect(await edit('two', 'zwei\n2')).toBe('Edited a.txt: replaced 1 match at line 2');
  expect(content()).toBe('one\nzwei\n2\nthree\n');
});

it('takes new_text as it is, with no meaning of $', async () => {
  const { edit, content } = benchWith('price: X\n');
  await edit('X', "$& $1 $$ $'");
  expect(content()).toBe("price: $& $1 $$ $'\n");
});

it('refuses more than one match and tells the lines', async () => {
  const { edit, content } = benchWith('x = 1\ny\nx = 1\nx = 1 x = 1\n');
  await expect(edit('x = 1', 'x = 2')).rejects.toThrow(
    'old_text has 4 matches, at lines 1, 3, 4, 4. Give more of the text around',
  );
  expect(content()).toBe('x = 1\ny\nx = 1\nx = 1 x = 1\n');
});

it('counts matches that overlap', async () => {
  await expect(benchWith('aaa').edit('aa', 'b')).rejects.toThrow('old_text has 2 matches');
});

it('replaces every match when asked to', async () => {
  const { edit, content } = benchWith('a1\nb\na1 a1\n');
  expect(await edit('a1', 'a1a1', { replace_all: true })).toBe(
    'Edited a.txt: replaced 3 matches at lines 1, 3, 3',
  );
  expect(content()).toBe('a1a1\nb\na1a1 a1a1\n');
});

it.each([
  [
    '  if (a) {\n    b();\n  }\n',
    'if (a) {\n\tb();\n}',
    'other whitespace is at line 1:\n  if (a) {\n    b();\n  }',
  ],
  ['const total = add(1, 2);\n', 'const total = sum(1, 2);', 'is line 1:\nconst total = add(1, 2);'],
  ['one\ntwo\n', '     1\tone\n     2\ttwo', 'line numbers that read_file shows'],
  ['one\ntwo\n', 'zwölf Kühe', 'Nothing in the file is like it'],
  ['', 'anything', 'Nothing in the file is like it'],
])('says that there is no match, with a hint (%#)', async (text, oldText, hint) => {
  const { edit, content } = benchWith(text);
  const error = await edit(oldText, 'new').catch((problem: Error) => problem.message);
  expect(error).toContain('old_text has 0 matches.');
  expect(error).toContain(hint);
  expect(content()).toBe(text);
});

it('says when new_text is already there', async () => {
  await expect(benchWith('one\nzwei\n').edit('two', 'zwei')).rejects.toThrow(
    'new_text is already there, at line 2',
  );
});

it('refuses an edit that changes nothing', async () => {
  await expect(benchWith('one').edit('one', 'one')).rejects.toThrow('identical');
  await expect(benchWith('one\r\n').edit('one\n', 'one\r\n')).rejects.toThrow('identical');
});

it('refuses an empty old_text', async () => {
  await expect(benchWith('one').edit('', 'x')).rejects.toThrow();
});

it.each([
  ['with \\n', 'two\nthree', 'zwei\ndrei\nvier'],
  ['with \\r\\n', 'two\r\nthree', 'zwei\r\ndrei\r\nvier'],
])('keeps CRLF line endings when the texts are given %s', async (_, oldText, newText) => {
  const { edit, content } = benchWith('one\r\ntwo\r\nthree\r\n');
  expect(await edit(oldText, newText)).toContain('at line 2');
  expect(content()).toBe('one\r\nzwei\r\ndrei\r\nvier\r\n');
});

it('takes the texts exactly in a file with mixed line endings', async () => {
  const { edit, content } = benchWith('one\r\ntwo\nthree\n');
  await edit('two\n', '2\n');
  expect(content()).toBe('one\r\n2\nthree\n');
});

it('keeps the mark at the start of a file and the missing newline at its end', async () => {
  const { edit, content } = benchWith('\ufeffone\ntwo');
  await edit('one', '1');
  expect(content()).toBe('\ufeff1\ntwo');
});

it('keeps the mode and leaves no temporary file', async () => {
  const { edit, path, root } = benchWith('one');
  chmodSync(path, 0o750);
  await edit('one', 'two');
  expect(statSync(path).mode & 0o777).toBe(0o750);
  expect(readdirSync(root)).toEqual(['a.txt']);
});

it.each([Buffer.from([0x61, 0, 0x62]), Buffer.from([0x61, 0xff])])(
  'refuses a binary file (%#)',
  async (bytes) => {
    const { edit, path } = benchWith(bytes);
    await expect(edit('a', 'b')).rejects.toThrow('"a.txt" is a binary file of');
    expect(readFileSync(path)).toEqual(bytes);
  },
);

it('refuses a file that is too big to edit at once', async () => {
  await expect(benchWith(Buffer.alloc(11 * 2 ** 20, 'a\n')).edit('b', 'c')).rejects.toThrow('Use bash');
});

it('names similar files when there is no such file', async () => {
  const { run } = benchWith('one');
  await expect(run('edit_file', { path: 'b.txt', old_text: 'a', new_text: 'b' })).rejects.toThrow(
    'There is no file "b.txt".',
  );
});

it('has no answer to what happened in a crash', () => {
  const tool = workbench().tool('edit_file');
  expect([tool.reconcile, tool.idempotent, tool.parallel]).toEqual([undefined, false, false]);
});
