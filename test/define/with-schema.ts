import type { z } from 'zod';
import { defineAgent } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import { scriptedModel } from '../../src/testing/index.js';

export function toolOf(input: z.ZodType, strict?: boolean) {
  const options = strict === undefined ? {} : { strict };
  return defineTool({ name: 'pay', description: 'Pays.', input, run: () => 'paid', ...options });
}

export function outputOf(output: z.ZodType) {
  return defineAgent({ name: 'helper', instructions: '', model: scriptedModel([]), output }).output;
}
