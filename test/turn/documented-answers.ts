import { z } from 'zod';
import { type AnswerCheck, defineAgent } from '../../src/index.js';
import { chart, sales } from './documented-artifacts.js';

/** An analyst who says a number has looked it up. */
const lookedUp: AnswerCheck<{ euros: number }> = ({ euros }, { transcript }) => {
  const looked = transcript.some((message) => message.role === 'tool');
  return looked || euros === 0 || 'You named a number without having called a tool.';
};

export const analyst = defineAgent({
  name: 'analyst',
  instructions: 'You answer questions about sales.',
  model: 'gpt-5.5',
  tools: [sales, chart],
  output: z.object({ euros: z.number(), chart: z.string().describe('the name of an artifact') }),
  finalAnswer: true,
  checks: [lookedUp],
});
