import { Context } from '@temporalio/activity';
import type { Agent } from '../define/define-agent.js';
import type { AfterCallInput, AfterCallResult, AfterTurnInput, AfterTurnResult } from '../shared/hooks.js';
import { withHookNote } from '../shared/hooks.js';
import { beatWhile } from './heartbeats.js';
import { HookCalls } from './hook-calls.js';
import { requireAgent } from './not-here.js';
import { afterToolCall } from './result-hooks.js';
import type { ActivityServices } from './services.js';

/** Hooks of an agent, called in this activity; each of `signals` tells them to stop. */
export function hooksIn(
  context: Context,
  agent: Agent,
  called: { turnId: string; iteration: number; metadata?: AfterTurnInput['metadata'] },
  ...signals: [AbortSignal, ...AbortSignal[]]
): HookCalls {
  const { turnId, iteration, metadata } = called;
  const workflowId = context.info.workflowExecution?.workflowId ?? turnId;
  let signal: AbortSignal | undefined;
  return new HookCalls(agent.hooks, {
    ...{ agent: agent.name, turnId, workflowId, iteration, metadata },
    // Most agents have none that would look at it.
    get signal() {
      signal ??= AbortSignal.any(signals);
      return signal;
    },
    attempt: context.info.attempt,
    isInterrupted: () => context.cancellationDetails?.cancelRequested === true,
    warn: (text) => context.log.warn(text),
  });
}

/** The activity after a turn; there is one only where the agent has hooks for that. */
export async function afterTurn(services: ActivityServices, input: AfterTurnInput): Promise<AfterTurnResult> {
  const context = Context.current();
  const agent = requireAgent(services.agents, input);
  const called = { ...input, iteration: input.outcome.iterations };
  const hooks = hooksIn(context, agent, called, context.cancellationSignal);
  await beatWhile(context, { details: () => undefined }, async () => {
    for (const hook of hooks.with('afterTurn'))
      await hooks.askSafely(hook, { point: 'afterTurn' }, (own, hookContext) =>
        own.afterTurn?.(structuredClone(input.outcome), hookContext),
      );
  });
  return { v: 1, hooks: hooks.records };
}

/** The activity after a call whose result the workflow makes, of a sub-agent or a remote tool; only where there are hooks for it. */
export async function afterCall(services: ActivityServices, input: AfterCallInput): Promise<AfterCallResult> {
  const context = Context.current();
  const agent = requireAgent(services.agents, input);
  return await services.interrupts.during(context, async (interrupted) => {
    const hooks = hooksIn(context, agent, input, interrupted, context.cancellationSignal);
    const result = await beatWhile(context, { details: () => undefined }, () =>
      afterToolCall(hooks, services.artifacts, input, input.result),
    );
    return { v: 1, result: withHookNote(input, result), hooks: hooks.records };
  });
}
