import { z } from 'zod';
import { FINAL_ANSWER } from '../shared/final-answer.js';
import type { AnyTool } from './define-agent.js';
import { makeTool } from './make-tool.js';

const words = z.string().min(1).describe('Your answer, as the user is to read it');

/** The tool by which a model gives its answer and ends the turn: of the agent's `output`, or a text. */
export function finalAnswerTool(output: z.ZodType | undefined): AnyTool {
  const tool = makeTool({
    name: FINAL_ANSWER,
    description:
      'Gives your final answer and ends the turn. Call it once you are done, and call nothing else beside it.',
    input: z.object({ answer: output ?? words }),
    idempotent: true,
    effects: 'none',
    run: () => 'It was not taken: this worker is older than the turn. Give your answer as a text.',
  });
  return { ...tool, givesAnswer: true };
}
