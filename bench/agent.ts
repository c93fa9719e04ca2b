import { type Agent, defineAgent, defineTool, openai } from 'holdfast';
import { z } from 'zod';
import { INSTRUCTIONS, page, TOOL_DESCRIPTION, TOOL_NAME } from './model/task.js';

export type ReaderOptions = {
  /** A tool that is not, the default, runs at most once. */
  idempotent: boolean;
  /** Holdfast streams each reply unless told otherwise. */
  stream?: boolean;
};

/** Holdfast's side of every bench. */
export function readerAgent(
  name: string,
  baseURL: string,
  { idempotent, stream = true }: ReaderOptions,
): Agent {
  const readPage = defineTool({
    name: TOOL_NAME,
    description: TOOL_DESCRIPTION,
    input: z.object({ page: z.int() }),
    idempotent,
    run: (args) => page(args.page),
  });
  const model = openai({ model: 'scripted', baseURL, stream });
  return defineAgent({ name, instructions: INSTRUCTIONS, model, tools: [readPage] });
}
