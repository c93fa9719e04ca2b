import { type Agent, type AgentOptions, defineAgent, defineTool, openai } from 'holdfast';
import { z } from 'zod';
import { INSTRUCTIONS, page, TOOL_DESCRIPTION, TOOL_NAME } from './model/task.js';

export type ReaderOptions = {
  /** A tool that is not, the default, runs at most once. */
  idempotent: boolean;
  /** Where the tool runs; only an idempotent one may be `local`. */
  execution?: 'activity' | 'local';
  /** Holdfast streams each reply unless told otherwise. */
  stream?: boolean;
  /** What the model is sent of a turn, at most: the oldest rounds are left out. */
  maxContextBytes?: number;
  /** Model calls after which the turn continues as new. Default: when Temporal suggests it. */
  iterationsPerRun?: number;
};

type Bounds = Pick<ReaderOptions, 'maxContextBytes' | 'iterationsPerRun'>;

/** Holdfast's side of every bench. */
export function readerAgent(
  name: string,
  baseURL: string,
  { idempotent, execution = 'activity', stream = true, ...bounds }: ReaderOptions,
): Agent {
  const readPage = defineTool({
    name: TOOL_NAME,
    description: TOOL_DESCRIPTION,
    input: z.object({ page: z.int() }),
    idempotent,
    execution,
    run: (args) => page(args.page),
  });
  const model = openai({ model: 'scripted', baseURL, stream });
  const options: AgentOptions & Bounds = {
    ...{ name, instructions: INSTRUCTIONS, model, tools: [readPage] },
    ...bounds,
  };
  return defineAgent(options);
}
