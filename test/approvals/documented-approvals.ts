import { z } from 'zod';
import { askUser, defineAgent, defineTool } from '../../src/index.js';
import { codingTools } from '../../src/tools/coding-tools.js';

const refundOrder = defineTool({
  name: 'refund_order',
  description: 'Refund an order.',
  input: z.object({ orderId: z.string(), cents: z.int() }),
  approval: ({ cents }) => (cents > 50_000 ? 'deny' : cents > 1_000 ? 'ask' : 'allow'),
  run: ({ orderId }) => `${orderId} is refunded`,
});

export const clerk = defineAgent({
  name: 'clerk',
  instructions: 'You look after a shop and its files.',
  model: 'gpt-5.5',
  tools: [refundOrder, askUser(), ...codingTools({ root: '.' })],
  permissions: {
    mode: 'default',
    allow: ['bash(git status*)', 'bash(npm test:*)', 'write_file(reports/**)'],
    ask: ['bash(git push*)'],
    deny: ['write_file(.env)', 'bash(rm *)'],
  },
  approvalTimeout: '3 days',
});
