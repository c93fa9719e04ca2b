import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { compactionSettings } from '../../src/activities/compaction-settings.js';
import { defineAgent } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { reader } from './documented-compaction.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const page = read('../../docs/compaction.md');
const nothing = { instructions: '', tools: [] };

test('the agent of docs/compaction.md is one that can be defined', () => {
  const code = read('documented-compaction.ts').replace('../../src/index.js', 'holdfast');
  expect(page).toContain(`\`\`\`ts\n${code}\`\`\``);
  const settings = compactionSettings(reader.compaction, 'gpt-5.5', nothing);
  expect(settings).toMatchObject({ at: 0.7, to: 0.35, window: 300_000, model: 'gpt-5-mini' });
});

test('every option and every default of it is on the page, and the options are on that of configuration', () => {
  const [, type = ''] =
    /type CompactionOptions = \{\n(.*?)\n\};/s.exec(read('../../src/define/compaction.ts')) ?? [];
  const options = [...type.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => `\`${name}\``);
  expect(options).toHaveLength(5);
  const configuration = read('../../docs/configuration.md');
  expect(options.filter((name) => !page.includes(`| ${name}`) || !configuration.includes(name))).toEqual([]);
  const agent = defineAgent({ name: 'plain', instructions: '', model: scriptedModel([]) });
  const { at, to, timeoutMs, growth, maxPerCall, rates } = compactionSettings(agent.compaction, 'x', nothing);
  expect(page).toContain(`| ${at} `);
  expect(page).toContain(`half of \`at\`, ${to}`);
  expect(page).toContain(`${timeoutMs / 60_000} minutes`);
  expect(page).toContain(`grown by ${growth * 100} %`);
  expect(page).toContain(`${maxPerCall} times`);
  expect(page).toContain(`${rates.imageTokens} tokens`);
});

test.each([
  [{ at: 1.5 }, /reader, compaction\.at: 1\.5 is not a share/],
  [{ at: 0.5, to: 0.6 }, /compaction\.to: 0\.6 leaves no room/],
  [{ window: 0 }, /compaction\.window: 0 is not a whole number of tokens/],
  [{ window: { a: 1.5 } }, /compaction\.window: 1\.5/],
  [{ timeout: -1 }, /compaction\.timeout: -1 is not a duration/],
])('%j is refused in words', (compaction, words) => {
  expect(() => defineAgent({ name: 'reader', instructions: '', model: 'x', compaction })).toThrow(words);
});
