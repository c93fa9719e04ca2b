import { z } from 'zod';
import { defineAgent, defineTool } from '../../src/index.js';

const order = defineTool({
  name: 'find_orders',
  description: 'Finds the orders of a customer.',
  input: z.object({
    customer: z.string().describe('like C-77'),
    since: z.iso
      .date()
      .transform((date) => new Date(date))
      .nullable(),
    status: z.enum(['open', 'shipped', 'returned']),
  }),
  strict: true,
  idempotent: true,
  run: ({ customer, since, status }) => `${customer}: one ${status} order since ${since?.getFullYear()}.`,
});

export const support = defineAgent({
  name: 'support',
  instructions: 'You help customers of a shop.',
  model: 'gpt-5.5',
  tools: [order],
  output: z.object({ resolved: z.boolean(), summary: z.string() }),
});
