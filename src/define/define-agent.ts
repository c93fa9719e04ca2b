import type { z } from 'zod';
import type { Permissions } from '../permissions/decide.js';
import { type Duration, durationMs } from '../shared/duration.js';
import type { JsonObject } from '../shared/json.js';
import type { Limits } from '../shared/limits.js';
import type { LoopGuard } from '../shared/loop-guard.js';
import type { Model } from '../shared/model-port.js';
import { type AnswerCheck, requireChecks } from './answer-checks.js';
import { type Compaction, type CompactionOptions, compactionOf } from './compaction.js';
import type { Tool } from './define-tool.js';
import { finalAnswerTool } from './final-answer-tool.js';
import { type Hooks, hooksOf, type NamedHooks } from './hooks.js';
import { type InstructionFile, withFiles } from './instruction-files.js';
import { jsonSchema } from './json-schema.js';
import { type AgentLimits, limitsOfAgent, loopGuardOf, planningOf, requireCount } from './limits.js';
import type { McpServer } from './mcp-server.js';
import { requireAgentOptions } from './option-names.js';
import { type PermissionOptions, permissionsOf } from './permissions.js';
import { readSkillTool } from './read-skill.js';
import { skillFolders } from './skills.js';
import { notStrictBecause } from './strict-schema.js';
import { toolsAndServers } from './tools-and-servers.js';

/** What instructions may depend on: the turn's prompt, as text, and what its starter gave along. */
export type InstructionsInput = {
  prompt: string;
  turnId: string;
  metadata: JsonObject;
  /** Fires when the turn is interrupted, the worker shuts down, or they have taken a minute. */
  signal: AbortSignal;
};
export type InstructionsFunction = (turn: InstructionsInput) => string | Promise<string>;

export type AgentOptions<Output extends z.ZodType = z.ZodType> = {
  /** How turns name it: letters, digits and . _ -, 64 at most. */
  name: string;
  /** Recorded with every turn; a running turn goes on only on a worker that has the same version. Default '1'. */
  version?: string;
  /** What another agent's model reads that has this agent among its tools; needed then. */
  description?: string;
  /**
   * The system prompt; or what works it out for a turn. That is recorded with the first reply and stays the same from
   * then on; until then a try of the first model call may ask once more.
   */
  instructions: string | InstructionsFunction;
  /** Files whose text comes after the instructions, such as AGENTS.md: read anew for each turn, and recorded. */
  instructionFiles?: readonly InstructionFile[];
  /**
   * Folders of skills, each a folder with a `SKILL.md`. The model is told their names and descriptions, and reads them with
   * the tool `read_skill`: docs/skills.md.
   */
  skills?: readonly string[];
  /** A model's name at the OpenAI endpoint of the worker's environment, or a model made by `openai(...)`. */
  model: string | Model;
  /** Tools; MCP servers, whose tools it has; other agents, which the model calls with a task as it calls a tool. */
  tools?: readonly (AnyTool | McpServer | AnyAgent)[];
  /**
   * When its MCP servers have more tools than this, the model is not shown them, but a tool `find_tools` that finds them
   * by words. Default 40.
   */
  findToolsBeyond?: number;
  /** `{ iterations: 40, tokens: 200_000, cost: { usd: 2 }, time: '1 hour' }`. Default: 199 iterations, and no other. */
  limits?: Limits;
  /**
   * The same calls with the same arguments and the same results, again and again: after `tellAfter` times (default 3) the
   * model is told, after `stopAfter` (default 8) the turn ends as `loop_detected`.
   */
  loopGuard?: false | Partial<LoopGuard>;
  /** At the limit of iterations: `answer` asks the model for one last answer, without tools. Default `none`. */
  closing?: 'none' | 'answer';
  /** The model makes a plan before it begins, without tools; with `every`, a new one after each so many model calls. */
  planning?: { every?: number };
  /**
   * Which calls run at once, which wait for a person, and which are denied. Default: what each tool's `approval` says, and
   * all others run.
   */
  permissions?: PermissionOptions;
  /** What nobody has decided or answered by then is denied. Default: it waits, for days if need be. */
  approvalTimeout?: Duration;
  /** What of yours runs around model calls and tool calls and after the turn, in order: docs/hooks.md. */
  hooks?: readonly Hooks[];
  /**
   * What the turn's last reply must be: it is checked, asked for again where it does not fit, and given as
   * `outcome.output`, as JSON (a date is a text). Anything that a JSON schema can say.
   */
  output?: Output;
  /**
   * The model gives its answer by calling a tool, `final_answer`; a reply without a call does not end the turn. Default: its
   * first reply without a call is the answer.
   */
  finalAnswer?: boolean;
  /**
   * Asked in turn about an answer that would complete the turn. The first that does not return `true` sends the model back to
   * work, with what it says, within the limits; a turn whose answer no check has passed is never `completed`.
   */
  checks?: readonly AnswerCheck<AnswerOf<Output>>[];
  /** The most tool calls of one reply that run side by side; default 8, at most 64. */
  maxParallelTools?: number;
  /**
   * The oldest rounds of a transcript are dropped when it takes more bytes of JSON than this, 1,000,000 at most. The model
   * is told how many; all of it stays in the event history. Default: nothing is dropped.
   */
  maxContextBytes?: number;
  /**
   * A transcript that comes near to the model's context window, or is refused for its length, is compacted: old tool results
   * are cleared, or its older part becomes a summary. `false`: only where somebody asks for it.
   */
  compaction?: CompactionOptions | false;
  /** Model calls after which a turn goes on in a new run of its workflow. Default: when Temporal suggests it. */
  iterationsPerRun?: number;
};

/** What checks are given: of an agent without `output` the text. */
type AnswerOf<Output extends z.ZodType> = Output extends z.ZodUnknown ? string : z.output<Output>;

// biome-ignore lint/suspicious/noExplicitAny: a list of tools with different arguments has no other common type.
export type AnyTool = Tool<any, any, any>;

// biome-ignore lint/suspicious/noExplicitAny: a list of agents with different outputs has no other common type.
export type AnyAgent = Agent<any>;

/** An agent: a plain value. Made by {@link defineAgent}; `Output` is the type of `outcome.output`. */
export type Agent<Output = unknown> = {
  readonly kind: 'agent';
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly instructions: string | InstructionsFunction;
  readonly model: string | Model;
  readonly tools: readonly AnyTool[];
  readonly servers: readonly McpServer[];
  readonly findToolsBeyond: number;
  readonly limits: AgentLimits;
  readonly loopGuard?: LoopGuard;
  readonly closing?: 'none' | 'answer';
  readonly planning?: { readonly every?: number };
  readonly permissions?: Permissions;
  readonly approvalTimeoutMs?: number;
  readonly hooks: readonly NamedHooks[];
  readonly output?: AgentOutput<Output>;
  readonly finalAnswer?: true;
  // biome-ignore lint/suspicious/noExplicitAny: agents with different answers have no other common type.
  readonly checks?: readonly AnswerCheck<any>[];
  readonly maxParallelTools: number;
  readonly maxContextBytes?: number;
  readonly compaction: Compaction;
  readonly iterationsPerRun?: number;
};

/** What an agent's last reply must be. */
export type AgentOutput<Output = unknown> = {
  readonly type: z.ZodType<Output>;
  readonly schema: JsonObject;
  /** A provider can be told to hold the model to it. */
  readonly strict: boolean;
};

const AGENT_NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/;
const DEFAULT_PARALLEL_TOOLS = 8;
const DEFAULT_FIND_TOOLS_BEYOND = 40;
/** Each is told the turn's metadata, and Temporal carries 3 MB for all that one workflow task starts. */
const MOST_PARALLEL_TOOLS = 64;
/** It is passed on in a workflow's input, of which Temporal carries 2 MB. */
const MAX_CONTEXT_BYTES = 1_000_000;

/** Makes an agent. Throws a TypeError or RangeError that names the agent and the fault: a bad name, a tool twice. */
export function defineAgent<Output extends z.ZodType = z.ZodUnknown>(
  options: AgentOptions<Output>,
): Agent<z.output<Output>> {
  const { name } = options;
  if (!AGENT_NAME.test(name)) {
    throw new TypeError(`Agent name ${JSON.stringify(name)}: use letters, digits and . _ -, 64 at most.`);
  }
  requireAgentOptions(name, options);
  const final = options.finalAnswer ? [finalAnswerTool(options.output)] : [];
  const skills = skillFolders(`Agent ${name}`, options.skills ?? []);
  const reading = skills ? [readSkillTool(skills)] : [];
  const { tools, servers } = toolsAndServers(name, [...(options.tools ?? []), ...final, ...reading]);
  requireChecks(name, options.checks ?? []);
  const maxParallelTools = options.maxParallelTools ?? DEFAULT_PARALLEL_TOOLS;
  requireCount(`Agent ${name}, maxParallelTools`, maxParallelTools, MOST_PARALLEL_TOOLS);
  const { maxContextBytes, iterationsPerRun, findToolsBeyond = DEFAULT_FIND_TOOLS_BEYOND } = options;
  if (findToolsBeyond !== 0) requireCount(`Agent ${name}, findToolsBeyond`, findToolsBeyond);
  if (maxContextBytes !== undefined)
    requireCount(`Agent ${name}, maxContextBytes`, maxContextBytes, MAX_CONTEXT_BYTES);
  if (iterationsPerRun !== undefined) requireCount(`Agent ${name}, iterationsPerRun`, iterationsPerRun);
  const { permissions, approvalTimeout } = options;
  return {
    kind: 'agent',
    name,
    version: options.version ?? '1',
    description: options.description ?? '',
    instructions: withFiles(options.instructions, options.instructionFiles ?? [], skills),
    model: options.model,
    tools,
    servers,
    findToolsBeyond,
    limits: limitsOfAgent(name, options.limits),
    ...loopGuardOf(name, options.loopGuard),
    ...(options.closing && { closing: options.closing }),
    ...planningOf(name, options.planning),
    ...(permissions && { permissions: permissionsOf(`Agent ${name}`, permissions, { tools, servers }) }),
    ...(approvalTimeout !== undefined && {
      approvalTimeoutMs: durationMs(`Agent ${name}, approvalTimeout`, approvalTimeout),
    }),
    hooks: hooksOf(`Agent ${name}`, options.hooks ?? []),
    ...(options.output && { output: agentOutput(name, options.output) }),
    ...(options.finalAnswer && { finalAnswer: true as const }),
    ...(options.checks?.length && { checks: options.checks }),
    maxParallelTools,
    ...(maxContextBytes !== undefined && { maxContextBytes }),
    compaction: compactionOf(`Agent ${name}`, options.compaction),
    ...(iterationsPerRun !== undefined && { iterationsPerRun }),
  };
}

function agentOutput<Output extends z.ZodType>(name: string, type: Output): AgentOutput<z.output<Output>> {
  const schema = jsonSchema(`Agent ${name}: its output`, type, 'output');
  return {
    type: type as z.ZodType<z.output<Output>>,
    schema,
    strict: notStrictBecause(schema) === undefined,
  };
}
