import { z } from 'zod';
import { ASK_USER } from '../shared/people.js';
import type { Tool } from './define-tool.js';
import { makeTool } from './make-tool.js';

const input = z.object({
  question: z.string().min(1).max(5000).describe('What you need to know, in words that stand for themselves'),
  choices: z
    .array(z.string().max(500))
    .max(20)
    .optional()
    .describe('Answers to choose from, if there are only some'),
});

/**
 * The tool `ask_user`: the turn waits, for days if need be, until a person has answered, and the model reads the answer.
 * No worker is busy meanwhile.
 */
export function askUser(): Tool<typeof input, string> {
  const tool = makeTool({
    name: ASK_USER,
    description:
      'Asks the user a question and waits for the answer. Only for what you can neither find out nor decide yourself.',
    input,
    idempotent: true,
    effects: 'none',
    run: () => 'Nobody was asked: this worker is older than the turn.',
  });
  return { ...tool, asksPeople: true };
}
