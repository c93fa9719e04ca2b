import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scriptedModel, text } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { agentWith } from './agents.js';
import { ask } from './documented-prompt.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('the prompt of docs/models.md is one that runs', async () => {
  const code = read('documented-prompt.ts').replace('../../src/client.js', 'holdfast/client');
  expect(read('../../docs/models.md')).toContain(`\`\`\`ts\n${code}\`\`\``);
  const path = join(mkdtempSync(join(tmpdir(), 'holdfast-prompt-')), 'chart.png');
  writeFileSync(path, Buffer.from('89504e47', 'hex'));
  const model = scriptedModel([text('It rises.')]);
  await withWorker(agentWith([], { name: 'helper', model }), async ({ client, taskQueue }) => {
    const turn = await ask(client, path, taskQueue);
    expect(await turn.result()).toMatchObject({ text: 'It rises.' });
    expect(model.requests[0]?.options).toEqual({ reasoningEffort: 'low', maxOutputTokens: 2000 });
  });
});
