import type { Agent, AnyTool } from '../define/define-agent.js';
import type { Permissions } from '../permissions/decide.js';
import type { Rule } from '../permissions/rule.js';
import type { CallModelInput } from '../shared/activities.js';
import type { CompactionSettings } from '../shared/compaction/settings.js';
import { type Budget, budgetOf, type Limits, smallerBudget } from '../shared/limits.js';
import type { McpSettings } from '../shared/mcp.js';
import type { PermissionRules } from '../shared/permissions.js';
import type { TurnSettings } from '../shared/turn-settings.js';

// Defaults that users are not asked for. They are recorded with each turn, so that changing one changes new turns only.
const HEARTBEAT_TIMEOUT_MS = 10_000;
const RETRYABLE_ATTEMPTS = 5;
const KB = 1024;
/** Beyond that a turn's messages are not in its result once more: they are in its event history. */
const INLINE_RESULT_BYTES = 64 * KB;
/** Of a transcript that is passed on in a workflow's input; that input is in the history once. */
const PLAIN_BYTES = 128 * KB;
/** Of one with a bound of its own, with what people have said on top. */
const LONGEST_PLAIN_BYTES = 1_500_000;
/** Packed, it is in the history twice for each run. */
const PACKED_BYTES = 128 * KB;
/** A message of results is answered by one query, of which Temporal carries 2 MB. */
const ROUND_RESULT_BYTES = 1_000_000;
/** Beside the texts, in the same message. */
const ROUND_IMAGE_BYTES = 500_000;
/** How often the output is asked for beyond the first reply. */
const OUTPUT_ASKS = 3;
/** Of sub-agents within sub-agents. */
const DEPTH = 4;
const PACK_RETRY_ITERATIONS = 20;

/** All that a turn runs with, resolved once; what it gives of its own goes before what the agent says. */
export function resolveSettings(
  agent: Agent,
  tools: readonly AnyTool[],
  model: string,
  resolve: NonNullable<CallModelInput['resolve']>,
  mcp: McpSettings | undefined,
  compaction: CompactionSettings,
): TurnSettings {
  const { limits } = resolve;
  return {
    agent: agent.name,
    version: agent.version,
    model,
    limits: {
      iterations: limits.iterations ?? agent.limits.iterations,
      ...(tools.some((tool) => tool.agent) && { depth: depthOf(agent, limits) }),
      ...budgetFor(agent, resolve),
    },
    ...(agent.loopGuard && { loopGuard: agent.loopGuard }),
    ...(agent.closing === 'answer' && {
      closing: agent.closing,
      ...(agent.output && { closesWithOutput: true as const }),
    }),
    ...(agent.planning && { planning: agent.planning }),
    maxParallelTools: agent.maxParallelTools,
    maxTruncatedReplies: 3,
    settleMs: 2000,
    inlineResultBytes: INLINE_RESULT_BYTES,
    toolRetry: { initialMs: 200, maxMs: 10_000 },
    roundResultBytes: ROUND_RESULT_BYTES,
    roundImageBytes: ROUND_IMAGE_BYTES,
    maxRestarts: 10,
    continueAsNew: {
      ...(agent.iterationsPerRun !== undefined && { iterations: agent.iterationsPerRun }),
      // Only what is carried as it is can be shortened.
      plainBytes: agent.maxContextBytes === undefined ? PLAIN_BYTES : LONGEST_PLAIN_BYTES,
      packedBytes: PACKED_BYTES,
      retryAfter: PACK_RETRY_ITERATIONS,
    },
    ...(agent.maxContextBytes !== undefined && { maxContextBytes: agent.maxContextBytes }),
    compaction,
    ...(agent.approvalTimeoutMs !== undefined && { approvalTimeoutMs: agent.approvalTimeoutMs }),
    ...(agent.permissions && tools.some((tool) => tool.agent) && { permissions: written(agent.permissions) }),
    ...answerSettings(agent),
    ...(mcp && { mcp }),
    ...hookSettings(agent),
    tools: tools.map((tool) => ({
      name: tool.name,
      idempotent: tool.idempotent,
      parallel: tool.parallel,
      timeoutMs: tool.timeoutMs,
      heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS,
      maxAttempts: Math.max(RETRYABLE_ATTEMPTS, tool.retry?.attempts ?? 0),
      ...(tool.retry && {
        retry: { initialMs: tool.retry.initialInterval, maxMs: tool.retry.maximumInterval },
      }),
      reconciles: tool.reconcile !== undefined,
      ...(tool.repeatable && { repeatable: tool.repeatable }),
      schemaHash: tool.schemaHash,
      ...(tool.agent && { agent: { name: tool.agent.name, version: tool.agent.version } }),
      ...(tool.mcp && { mcp: tool.mcp }),
      ...(tool.annotations && { annotations: tool.annotations }),
      ...(tool.remote && { remote: tool.remote }),
      ...(tool.local && { local: tool.local }),
    })),
  };
}

/** The schema of an output that a tool gives is the tool's. */
function answerSettings({
  output,
  finalAnswer,
  checks,
}: Agent): Pick<TurnSettings, 'output' | 'finalAnswer' | 'checksAnswer'> {
  return {
    ...(finalAnswer
      ? { finalAnswer: { maxAsks: OUTPUT_ASKS, ...(output && { isOutput: true }) } }
      : output && { output: { schema: output.schema, maxAsks: OUTPUT_ASKS } }),
    ...(checks && { checksAnswer: true }),
  };
}

function written({ mode, allow, ask, deny }: Permissions): PermissionRules {
  const texts = (rules: readonly Rule[]) => rules.map(({ text }) => text);
  return { mode, allow: texts(allow), ask: texts(ask), deny: texts(deny) };
}

/** Nothing is recorded of an agent without such hooks, so that its turns are as they were. */
function hookSettings({ hooks }: Agent): Pick<TurnSettings, 'hooks'> {
  const msOf = (point: 'afterToolCall' | 'afterTurn') =>
    hooks.reduce((sum, each) => sum + (each.hooks[point] ? each.timeoutMs : 0), 0);
  const [afterToolMs, afterTurnMs] = [msOf('afterToolCall'), msOf('afterTurn')];
  if (afterToolMs + afterTurnMs === 0) return {};
  return { hooks: { ...(afterToolMs > 0 && { afterToolMs }), ...(afterTurnMs > 0 && { afterTurnMs }) } };
}

/** A sub-agent may be given less than it says of itself, and never more. */
function depthOf(agent: Agent, limits: Limits): number {
  const own = agent.limits.depth;
  return own === undefined ? (limits.depth ?? DEPTH) : Math.min(own, limits.depth ?? own);
}

/** What a turn is started with goes before what its agent says; a sub-agent keeps to both, a session's turn to its share. */
export function budgetFor(
  { limits: own }: Agent,
  { limits, isSubAgent, share = {} }: NonNullable<CallModelInput['resolve']>,
): Budget {
  const { tokens, costUsd, timeMs } = own;
  const agents = {
    ...(tokens !== undefined && { tokens }),
    ...(costUsd !== undefined && { costUsd }),
    ...(timeMs !== undefined && { timeMs }),
  };
  const resolved = isSubAgent ? smallerBudget(agents, budgetOf(limits)) : { ...agents, ...budgetOf(limits) };
  return smallerBudget(resolved, budgetOf(share));
}
