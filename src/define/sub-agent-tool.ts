import { z } from 'zod';
import { READ_ARTIFACT } from '../shared/artifacts.js';
import type { Agent, AnyTool } from './define-agent.js';
import { makeTool, TOOL_NAME } from './make-tool.js';

const input = z.object({
  task: z
    .string()
    .min(1)
    .describe('What is to be done and what is to come back. It is read without this conversation.'),
  context: z.string().optional().describe('What else it needs to know: facts, ids, earlier results.'),
});

/** The tool as which an agent is offered to another one's model. Throws a TypeError that names both where it can't be one. */
export function subAgentTool(parent: string, agent: Agent): AnyTool {
  const { name, description } = agent;
  if (!TOOL_NAME.test(name) || name === READ_ARTIFACT) {
    throw new TypeError(
      `Agent ${parent}: its sub-agent ${name} is a tool of that name to its model: use letters, digits, _ and -; not ${READ_ARTIFACT}.`,
    );
  }
  if (description.trim() === '') {
    throw new TypeError(
      `Agent ${parent}: its sub-agent ${name} needs a description, by which the model decides when to call it.`,
    );
  }
  const run = () => {
    throw new TypeError(`${name} is an agent: a call of it is a turn.`);
  };
  return { ...makeTool({ name, description, input, run }), agent };
}
