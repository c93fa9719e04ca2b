// A tool of one's own that must not run twice, and can say after a crash whether it had run.
import { appendFile, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, defineTool, notDone } from 'holdfast';
import { text, toolCall } from 'holdfast/testing';
import { z } from 'zod';
import { modelOr } from './model.js';
import { serve } from './serve.js';

// Stands for a bank: a file with one line for each payment.
const bank = join(await mkdtemp(join(tmpdir(), 'holdfast-bank-')), 'payments.txt');

const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Refund an order in full.',
  input: z.object({ orderId: z.string().describe('like W2378156'), reason: z.string() }),
  async run({ orderId, reason }, { idempotencyKey }) {
    await appendFile(bank, `${idempotencyKey} ${orderId} ${reason}\n`);
    return `Refunded ${orderId}.`;
  },
  // Asked when a worker died in the middle of `run`. Without it the model would be told that nobody knows.
  async reconcile(key, { orderId }) {
    const payments = await readFile(bank, 'utf8').catch(() => '');
    return payments.includes(key) ? `Refunded ${orderId}.` : notDone;
  },
});

const support = defineAgent({
  name: 'support',
  instructions: 'You help customers of a shop.',
  model: modelOr([
    toolCall('refund_order', { orderId: 'W2378156', reason: 'arrived broken' }),
    text('Your money for W2378156 is on its way back.'),
  ]),
  tools: [refundOrder],
});

await serve(support, async (client) => {
  const turn = await client.start('support', 'W2378156 arrived broken. I want my money back.');
  console.log((await turn.result()).text);
  console.log(`the bank has: ${await readFile(bank, 'utf8')}`);
});
