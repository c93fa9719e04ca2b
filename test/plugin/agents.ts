import { z } from 'zod';
import type { AnyTool } from '../../src/define/define-agent.js';
import { defineAgent } from '../../src/index.js';
import type { Model } from '../../src/shared/model-port.js';

/** For workflows by its type alone; tests make one with a model. */
export function analystWith(model: Model, tools: readonly AnyTool[] = []) {
  return defineAgent({
    ...{ name: 'analyst', instructions: 'Report.', model, tools },
    output: z.object({ title: z.string() }),
  });
}

export type Analyst = ReturnType<typeof analystWith>;
