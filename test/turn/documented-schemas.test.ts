import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { textOfResult } from './agents.js';
import { support } from './documented-schemas.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('the example of docs/schemas.md is one that runs', async () => {
  const [, example] = /```ts\n(.*?)```/s.exec(read('../../docs/schemas.md')) ?? [];
  expect(example).toBe(read('documented-schemas.ts').replace('../../src/index.js', 'holdfast'));
  const asked = { customer: 'C-77', since: '2026-01-05', status: 'open' };
  const answer = text('{"resolved":true,"summary":"It is on its way."}');
  const model = scriptedModel([toolCall('find_orders', asked), answer]);
  const { calls, outcome } = await testTurn(support, 'Where is my order?', { model });
  expect(textOfResult(calls[0]?.result)).toBe('C-77: one open order since 2026.');
  expect(outcome.output).toEqual({ resolved: true, summary: 'It is on its way.' });
});
