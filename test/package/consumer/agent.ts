import { defineAgent, defineTool, notDone } from 'holdfast';
import { scriptedModel, text, toolCall } from 'holdfast/testing';
import { z } from 'zod';

const payments = new Map<string, { refunded: string }>();

const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Refund an order in full.',
  input: z.object({ orderId: z.string().describe('like W2378156'), reason: z.string() }),
  timeout: '2 minutes',
  async run({ orderId, reason }, context) {
    context.progress(`talking to the bank about ${reason}`);
    const payment = { refunded: orderId.toUpperCase() };
    payments.set(context.idempotencyKey, payment);
    return payment;
  },
  reconcile: async (key) => payments.get(key) ?? notDone,
});

const model = scriptedModel([
  toolCall('refund_order', { orderId: 'w1', reason: 'it broke' }),
  text('{"resolved":true,"summary":"W1 is refunded."}'),
]);

export const support = defineAgent({
  name: 'support',
  version: '3',
  instructions: 'You help customers of a shop.',
  model,
  tools: [refundOrder],
  limits: { iterations: 40 },
  output: z.object({ resolved: z.boolean(), summary: z.string() }),
});
