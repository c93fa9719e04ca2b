import { defineTool } from 'holdfast';
import { z } from 'zod';

// In place of a database or an API.
const orders = new Map([
  ['W2378156', { status: 'on its way', arrives: 'tomorrow' }],
  ['W1000000', { status: 'delivered', arrives: 'last Monday' }],
]);

// The name, the description and the `describe` of each argument are what the model reads.
export const lookUpOrder = defineTool({
  name: 'look_up_order',
  description: 'Look up an order of the shop by its id.',
  input: z.object({ orderId: z.string().describe('like W2378156') }),
  // It may run again after a crash. A tool that does not say so runs at most once: leave it out where running twice
  // would pay twice.
  idempotent: true,
  async run({ orderId }) {
    const order = orders.get(orderId);
    // What a tool throws is told to the model, which can then do something else. It never ends the turn.
    if (!order) throw new Error(`There is no order ${orderId}.`);
    return { orderId, ...order };
  },
});
