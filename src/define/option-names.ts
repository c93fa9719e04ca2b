import type { AgentOptions } from './define-agent.js';
import type { ToolOptions } from './define-tool.js';
import { namesOf, requireKnown, requireModel, requireOneOf } from './known-options.js';

const AGENT = namesOf<AgentOptions>({
  name: true,
  version: true,
  description: true,
  instructions: true,
  instructionFiles: true,
  skills: true,
  model: true,
  tools: true,
  findToolsBeyond: true,
  limits: true,
  loopGuard: true,
  closing: true,
  planning: true,
  permissions: true,
  approvalTimeout: true,
  hooks: true,
  output: true,
  finalAnswer: true,
  checks: true,
  maxParallelTools: true,
  maxContextBytes: true,
  compaction: true,
  iterationsPerRun: true,
});

// biome-ignore lint/suspicious/noExplicitAny: the names are the same, whatever the tool takes and gives.
const TOOL = namesOf<ToolOptions<any, any, any>>({
  name: true,
  description: true,
  input: true,
  output: true,
  idempotent: true,
  timeout: true,
  execution: true,
  parallel: true,
  repeatable: true,
  concurrencyKey: true,
  retry: true,
  setup: true,
  approval: true,
  effects: true,
  subject: true,
  strict: true,
  run: true,
  reconcile: true,
});

/** Throws a TypeError that names the agent and what it has that is no option of one, or none that can be. */
export function requireAgentOptions(name: string, options: object): void {
  const agent = `Agent ${name}`;
  requireKnown(agent, options, AGENT, "{ name: 'shop', instructions: '...', model: '...' }");
  const { closing, finalAnswer, instructions, model } = options as Partial<AgentOptions>;
  if (typeof instructions !== 'string' && typeof instructions !== 'function')
    throw new TypeError(`${agent}, instructions: give a text, or a function that returns one.`);
  requireModel(`${agent}, model`, model);
  if (closing !== undefined) requireOneOf(`${agent}, closing`, closing, ['none', 'answer']);
  if (finalAnswer !== undefined) requireOneOf(`${agent}, finalAnswer`, finalAnswer, [true, false]);
}

/** The same of a tool. */
export function requireToolOptions(name: string, options: object): void {
  const tool = `Tool ${name}`;
  requireKnown(tool, options, TOOL, '{ name, description, input, run }');
  const { approval, effects, run } = options as Partial<ToolOptions<never, unknown>>;
  if (typeof run !== 'function') throw new TypeError(`${tool}, run: give the function that does it.`);
  if (approval !== undefined && typeof approval !== 'function')
    requireOneOf(`${tool}, approval`, approval, ['allow', 'ask', 'deny']);
  if (effects !== undefined) requireOneOf(`${tool}, effects`, effects, ['none', 'edits', 'any']);
}
