import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { agent } from './documented-models.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

it('the example of docs/models.md is one that runs', () => {
  const [, example] = /```ts\n(.*?)```/s.exec(read('../../docs/models.md')) ?? [];
  expect(example).toBe(read('documented-models.ts').replace('../../src/index.js', 'holdfast'));
  expect(agent.model).toMatchObject({ name: 'gpt-5.5' });
});
