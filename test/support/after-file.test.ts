import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { afterFile, runAfterFile } from './after-file.js';

test('what a file asked for runs at its end once, the last one first', async () => {
  const ran: string[] = [];
  afterFile(() => ran.push('first'));
  afterFile(async () => ran.push('second'));
  await runAfterFile();
  await runAfterFile();
  expect(ran).toEqual(['second', 'first']);
});

test('no module that test files share has a hook at its top, which would be the first file’s alone', () => {
  const root = join(import.meta.dirname, '..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const shared = files.filter((file) => /\.ts$/.test(file) && !/(\.test|-hook)\.ts$/.test(file));
  expect(shared).not.toEqual([]);
  const hookAtTop = /^(before|after)(All|Each)\(/m;
  expect(shared.filter((file) => hookAtTop.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
});
