// The agents that the image's worker serves: replace this file by your own, or mount one over /agents/agent.js.
import { defineAgent, defineTool } from 'holdfast';
import { scriptedModel, text, toolCall } from 'holdfast/testing';
import { z } from 'zod';

const lookUpOrder = defineTool({
  name: 'look_up_order',
  description: 'Look up an order by its id.',
  input: z.object({ orderId: z.string().describe('like W2378156') }),
  idempotent: true,
  run: async ({ orderId }) => ({ orderId, status: 'on its way' }),
});

/** Answers where no model is set up, so that the set-up can be tried without a key. */
const withoutKey = scriptedModel([
  toolCall('look_up_order', { orderId: 'W2378156' }),
  text('W2378156 is on its way. (No OPENAI_API_KEY is set: this is a scripted answer.)'),
]);

const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL } = process.env;

export const support = defineAgent({
  name: 'support',
  instructions: 'You help customers of a shop.',
  model: OPENAI_API_KEY || OPENAI_BASE_URL ? OPENAI_MODEL || 'gpt-5.5' : withoutKey,
  tools: [lookUpOrder],
});
