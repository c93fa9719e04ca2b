// What compose-parts.mjs runs: tool calls one after the other, twenty of 300 ms each, or sixty that take no time.
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { defineAgent, defineTool } from '../dist/index.js';
import { scriptedModel, text, toolCall } from '../dist/testing/index.js';

const step = (ms) =>
  defineTool({
    name: 'step',
    description: 'One step.',
    input: z.object({ number: z.number() }),
    idempotent: true,
    async run({ number }) {
      if (ms > 0) console.error(`step ${number} begun in ${process.pid}`);
      return await setTimeout(ms, number);
    },
  });

const agent = (name, count, ms) =>
  defineAgent({
    name,
    instructions: 'Go on.',
    model: scriptedModel([
      ...Array.from({ length: count }, (_, number) => toolCall('step', { number })),
      text('done'),
    ]),
    tools: [step(ms)],
  });

export const agents = [agent('steps', 20, 300), agent('quick', 60, 0)];
