import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Agent, defineAgent } from '../define/define-agent.js';
import type { Hooks } from '../define/hooks.js';
import type { Model } from '../shared/model-port.js';
import { wireId } from '../shared/wire-text.js';
import { codingTools } from '../tools/coding-tools.js';

const INSTRUCTIONS = `You are a careful software engineer who works in one folder with the tools that you have.
Look before you change anything. Prefer small, exact edits. Check what you did.
A tool result with status "unknown" or "interrupted" may or may not have taken effect: find out before you repeat it.
When you are done, say in a few sentences what you did and what you found.`;

export type CoderOptions = {
  /** Whether it is told what the folder's AGENTS.md says; default true. */
  agentsFile?: boolean;
  hooks?: readonly Hooks[];
};

/** The agent behind `holdfast run`: four tools on one folder. */
export function coder(
  root: string,
  model: string | Model,
  { agentsFile = true, hooks = [] }: CoderOptions = {},
): Agent {
  const path = join(root, 'AGENTS.md');
  return defineAgent({
    name: 'coder',
    version: '1',
    description: 'Reads, writes and edits files of a folder, and runs commands in it.',
    instructions: `${INSTRUCTIONS}\nThe folder is ${root}.`,
    model,
    tools: codingTools({ root }),
    instructionFiles: agentsFile && existsSync(path) ? [path] : [],
    hooks,
  });
}

/**
 * The task queue of one turn of one folder. Were it shared, the worker of another run would go on with this turn: in the
 * wrong folder, with another model, or only until its own turn ends.
 */
export function turnQueue(root: string, turnId: string): string {
  const hash = createHash('sha256').update(`${root}\0${turnId}`).digest('hex').slice(0, 16);
  return wireId(`holdfast:${basename(root) || 'root'}-${hash}`);
}
