import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reply, scriptedModel, testTurn, text, toolCall } from '../../src/testing/index.js';
import { clerk } from './documented-approvals.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('the agent of docs/approvals.md is one that runs', async () => {
  const code = read('documented-approvals.ts')
    .replace('../../src/index.js', 'holdfast')
    .replace('../../src/tools/coding-tools.js', 'holdfast/tools');
  expect(read('../../docs/approvals.md')).toContain(`\`\`\`ts\n${code}\`\`\``);
  const refund = (cents: number) => toolCall('refund_order', { orderId: 'W1', cents });
  const script = [
    reply(refund(5), refund(2_000), refund(90_000), toolCall('bash', { command: 'rm x' })),
    text('ok'),
  ];
  const asked: string[] = [];
  const { calls } = await testTurn(clerk, 'Refund.', {
    model: scriptedModel(script),
    approve: ({ why }) => asked.push(why) > 0,
  });
  expect(asked).toEqual(['refund_order asks']);
  expect(calls.map(({ result }) => result.status)).toEqual(['ok', 'ok', 'denied', 'denied']);
});
