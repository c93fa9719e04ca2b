import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scriptedModel, testTurn, text, toolCall } from '../../src/testing/index.js';
import { librarian } from './documented-mcp.js';
import { textIn } from './odd-servers.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('the example of docs/mcp.md is one that runs', async () => {
  const [, example] = /```ts\n(.*?)```/s.exec(read('../../docs/mcp.md')) ?? [];
  expect(example).toBe(read('documented-mcp.ts').replace('../../src/index.js', 'holdfast'));
  const model = scriptedModel([toolCall('docs__list_directory', { path: '.' }), text('done')]);
  const { calls } = await testTurn(librarian, 'What is there?', { model });
  expect(textIn(calls[0]?.result)).toContain('[FILE] README.md');
});
