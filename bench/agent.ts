import { type Agent, defineAgent, defineTool, openai } from 'holdfast';
import { z } from 'zod';
import { INSTRUCTIONS, page, TOOL_DESCRIPTION, TOOL_NAME } from './model/task.js';

/** Holdfast's side of every bench. A tool that is not idempotent, the default, runs at most once. */
export function readerAgent(name: string, baseURL: string, idempotent: boolean): Agent {
  const readPage = defineTool({
    name: TOOL_NAME,
    description: TOOL_DESCRIPTION,
    input: z.object({ page: z.int() }),
    idempotent,
    run: (args) => page(args.page),
  });
  const model = openai({ model: 'scripted', baseURL });
  return defineAgent({ name, instructions: INSTRUCTIONS, model, tools: [readPage] });
}
