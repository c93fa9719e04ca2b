import type { Agent, AnyTool } from '../define/define-agent.js';
import type { Limits, TurnSettings } from '../shared/turn.js';

// Defaults that users are not asked for. They are recorded with each turn, so that changing one changes new turns only.
const HEARTBEAT_TIMEOUT_MS = 10_000;
const RETRYABLE_ATTEMPTS = 5;
const KB = 1024;

/** All that a turn runs with, resolved once; what it gives of its own goes before what the agent says. */
export function resolveSettings(
  agent: Agent,
  tools: readonly AnyTool[],
  model: string,
  limits: Limits,
): TurnSettings {
  return {
    agent: agent.name,
    version: agent.version,
    model,
    limits: { iterations: limits.iterations ?? agent.limits.iterations },
    maxParallelTools: agent.maxParallelTools,
    maxTruncatedReplies: 3,
    settleMs: 2000,
    inlineResultBytes: 512 * KB,
    toolRetry: { initialMs: 200, maxMs: 10_000 },
    maxRestarts: 10,
    tools: tools.map((tool) => ({
      name: tool.name,
      idempotent: tool.idempotent,
      parallel: tool.parallel,
      timeoutMs: tool.timeoutMs,
      heartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS,
      maxAttempts: RETRYABLE_ATTEMPTS,
      reconciles: tool.reconcile !== undefined,
      schemaHash: tool.schemaHash,
    })),
  };
}
