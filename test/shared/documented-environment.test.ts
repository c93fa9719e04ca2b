import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const NAMES = /\b(?:HOLDFAST|TEMPORAL|OPENAI|AWS)_[A-Z0-9_]+\b/g;

/** Told to the process that a tool runs, and constants that are named alike. */
const NO_SETTINGS = ['HOLDFAST_IDEMPOTENCY_KEY', 'OPENAI_URL'];

test('every variable that the code reads is on the page about configuration', async () => {
  const page = await readFile('docs/configuration.md', 'utf8');
  const read = new Set<string>();
  for (const file of await readdir('src', { recursive: true })) {
    if (!file.endsWith('.ts')) continue;
    for (const [name] of (await readFile(`src/${file}`, 'utf8')).matchAll(NAMES)) read.add(name);
  }
  for (const name of NO_SETTINGS) read.delete(name);
  const missing = [...read].filter((name) => !page.includes(name) && !name.startsWith('TEMPORAL_TLS_'));
  expect(read.size).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});
