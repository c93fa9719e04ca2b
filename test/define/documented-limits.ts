import { z } from 'zod';
import { defineAgent, defineTool } from '../../src/index.js';

const buildState = defineTool({
  name: 'build_state',
  description: 'Tells how far the build is.',
  input: z.object({}),
  repeatable: true,
  run: () => 'compiling',
});

export const bounded = defineAgent({
  name: 'bounded',
  instructions: 'You look after a build.',
  model: 'gpt-5.5',
  tools: [buildState],
  limits: { iterations: 40, tokens: 200_000, cost: { usd: 2 }, time: '1 hour' },
  loopGuard: { tellAfter: 3, stopAfter: 6 },
  closing: 'answer',
  planning: { every: 10 },
});
