import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/client';
import type { Agent, AnyTool } from '../define/define-agent.js';
import type { RunToolInput } from '../shared/activities.js';
import { wireLine, wireText } from '../shared/wire-text.js';
import type { Agents } from './agents.js';

// A model call has ten attempts, too: see the workflow's call-model.ts.
const RETRY_MS = 1000;
const LAST_ATTEMPT = 10;

/**
 * This worker lacks what the turn needs. Another worker on the queue may have it, so that it is tried again for
 * about ten seconds; then the turn fails, by name.
 */
export function notHere(
  type: 'Agent.NotHere' | 'Tool.NotHere',
  what: string,
  agents: Agents,
  attempt: number,
): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message: wireText(
      `No worker on this task queue has ${what}; this one serves: ${agents.describe()}. Start a worker that has it, or start the turn with another agent or task queue.`,
    ),
    nonRetryable: attempt >= LAST_ATTEMPT,
    nextRetryDelay: RETRY_MS,
  });
}

/** The agent in that version, or the failure that this worker lacks it. */
export function requireAgent(agents: Agents, { agent, version }: { agent: string; version: string }): Agent {
  const found = agents.find(agent, version);
  if (found) return found;
  const what = `the agent "${wireLine(agent)}" in version "${wireLine(version)}"`;
  throw notHere('Agent.NotHere', what, agents, Context.current().info.attempt);
}

/** What a call is of, or the failure that this worker lacks it. `kind`: what it is called in that. */
export function requireTool(
  agents: Agents,
  input: RunToolInput,
  kind: 'tool' | 'sub-agent' = 'tool',
): { agent: Agent; tool: AnyTool } {
  const agent = agents.find(input.agent, input.version);
  const tool = agents.findTool(input.agent, input.version, input.tool);
  if (agent && tool) return { agent, tool };
  throw toolNotHere(agents, input, kind);
}

export function toolNotHere(
  agents: Agents,
  { agent, version, tool }: RunToolInput,
  kind: 'tool' | 'sub-agent' = 'tool',
): ApplicationFailure {
  const what = `the ${kind} "${tool}" of the agent "${agent}" in version "${version}"`;
  return notHere('Tool.NotHere', what, agents, Context.current().info.attempt);
}
