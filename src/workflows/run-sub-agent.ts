import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  TerminatedFailure,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { SUB_AGENT_USAGE, type SubAgentUsage, type SubAgentUsageInput } from '../shared/activities.js';
import { INTERRUPT, STOP } from '../shared/interventions.js';
import { isJsonObject, type Json } from '../shared/json.js';
import { rulesBelow } from '../shared/permissions.js';
import { endOfFailure, type SubAgentEnd, subTurnId, turnEnded } from '../shared/sub-agents.js';
import { TURN_WORKFLOW, type TurnOutcome, WORKFLOW_TASK_TIMEOUT } from '../shared/turn.js';
import type { TurnInput } from '../shared/turn-input.js';
import { addFailed, noUsage, type TurnUsage } from '../shared/usage.js';
import { wireLine, wireText } from '../shared/wire-text.js';
import type { Ending, Interventions } from './interventions.js';
import type { CallToRun } from './tool-activity.js';
import type { TurnRun } from './turn-run.js';

type Turn = (input: TurnInput) => Promise<TurnOutcome>;
type UsageActivities = { [SUB_AGENT_USAGE](input: SubAgentUsageInput): Promise<SubAgentUsage> };

const { [SUB_AGENT_USAGE]: askUsage } = proxyActivities<UsageActivities>({
  summary: 'what a sub-agent has cost that was ended from outside',
  startToCloseTimeout: '10 seconds',
  scheduleToCloseTimeout: '1 minute',
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { maximumAttempts: 3 },
});

/** How many calls of a usual round share what its results may take. */
const USUAL_CALLS = 10;
const ROUND_RESULT_BYTES = 1_000_000;

export function subTurnIdOf(call: CallToRun): string {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  return subTurnId({ workflowId, firstRunId: firstExecutionRunId }, call.callId);
}

/**
 * Runs a call of a sub-agent as a turn of its own and says how it ended; never throws. It hears of the end by the turn's
 * signal, which comes first; from Temporal where the turn was ended from outside and sent none. What ends this turn is
 * passed on, and the sub-agent is waited for: it settles what runs, and tells what it has cost.
 *
 * A child of a workflow that goes on in a new run is not heard of any more. That can't happen here: a turn does so only
 * between two rounds, when each call has its result.
 */
export async function runSubAgent(
  run: TurnRun,
  call: CallToRun,
  interventions: Interventions,
): Promise<SubAgentEnd> {
  const turnId = subTurnIdOf(call);
  const input = inputOf(run, call);
  const word = run.children.expect(turnId);
  const started = CancellationScope.nonCancellable(() => startTurn(turnId, call, input));
  const unlisten = interventions.onEnding((intervention) => {
    const passOn = () => started.then((child) => child.signal(...downward(intervention)));
    // One that has ended by now, or was never started, needs none.
    CancellationScope.nonCancellable(passOn).catch(() => undefined);
  });
  try {
    const child = await started;
    const maxBytes = input.parent?.maxResultBytes ?? 0;
    const closed = child.result().then(
      (outcome): SubAgentEnd => ({ kind: 'ended', ended: turnEnded(turnId, outcome, maxBytes) }),
      (error: unknown) => endOfError(turnId, error, maxBytes),
    );
    return await Promise.race([word.then((ended): SubAgentEnd => ({ kind: 'ended', ended })), closed]);
  } catch (error) {
    return { kind: 'not_started', text: notStartedBecause(error) };
  } finally {
    unlisten();
    run.children.forget(turnId);
  }
}

/** What it has cost. Of one that could not tell, because it was ended from outside, a worker asks what it had counted. */
export async function usageOf(turnId: string, end: SubAgentEnd): Promise<TurnUsage> {
  if (end.kind === 'ended') return end.ended.usage;
  if (end.kind === 'not_started') return noUsage;
  try {
    return (await askUsage({ v: 1, workflowId: turnId })).usage;
  } catch {
    return unknownUsage;
  }
}

/** Of a sub-agent that did not answer in time. */
export const unknownUsage: TurnUsage = addFailed(noUsage, 'unknown');

function startTurn(turnId: string, call: CallToRun, input: TurnInput) {
  return startChild<Turn>(TURN_WORKFLOW, {
    workflowId: turnId,
    args: [input],
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    // A parent that is terminated takes it along. It reaches one of a parent that goes on in a new run, too: see above.
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    staticSummary: wireLine(call.summary),
    staticDetails: wireText(input.prompt, 2000),
    ...(input.tenant !== undefined && { priority: { fairnessKey: input.tenant } }),
  });
}

function inputOf(run: TurnRun, call: CallToRun): TurnInput {
  const { tenant, metadata, traceparent } = run.input;
  const { limits, roundResultBytes = ROUND_RESULT_BYTES } = run.settings ?? {};
  const mode = run.people.carried.permissions?.mode;
  const permissions = rulesBelow(run.settings?.permissions, mode, run.input.parent?.permissions);
  return {
    v: 1,
    agent: call.tool.agent?.name ?? call.name,
    ...(call.tool.agent && { version: call.tool.agent.version }),
    prompt: promptOf(call.input),
    limits: { depth: (limits?.depth ?? 1) - 1, ...run.guards.reserve(call.callId) },
    parent: {
      workflowId: workflowInfo().workflowId,
      callId: call.callId,
      maxResultBytes: Math.min(call.maxResultBytes ?? Infinity, Math.floor(roundResultBytes / USUAL_CALLS)),
      ...(permissions && { permissions }),
    },
    ...(tenant !== undefined && { tenant }),
    ...(metadata && { metadata }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

function promptOf(input: Json): string {
  const { task, context } = isJsonObject(input) ? input : {};
  return typeof context === 'string' && context !== '' ? `${task}\n\nContext:\n${context}` : String(task);
}

/** A stop goes down as a stop, all else as an interrupt. */
function downward(ending: Ending): [signal: string, argument: object] {
  const { kind, id } = ending;
  const { reason, by } = 'reason' in ending || 'by' in ending ? ending : {};
  const why =
    kind === 'cancel'
      ? 'The turn that called it was canceled.'
      : kind === 'time_limit'
        ? 'The time limit of the turn that called it is reached.'
        : reason;
  const argument = { v: 1, id, ...(why !== undefined && { reason: why }), ...(by !== undefined && { by }) };
  return [kind === STOP ? STOP : INTERRUPT, argument];
}

function endOfError(turnId: string, error: unknown, maxBytes: number): SubAgentEnd {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : error;
  if (cause instanceof TerminatedFailure) return { kind: 'terminated' };
  if (cause instanceof TimeoutFailure) return { kind: 'timed_out' };
  if (cause instanceof CancelledFailure) return { kind: 'canceled' };
  if (!(cause instanceof ApplicationFailure)) {
    return { kind: 'failed', type: 'Turn.Failed', text: wireText(cause) };
  }
  const failure = { type: cause.type ?? 'Turn.Failed', message: cause.message };
  return endOfFailure(turnId, failure, cause.details?.[0], maxBytes);
}

function notStartedBecause(error: unknown): string {
  return error instanceof WorkflowExecutionAlreadyStartedError
    ? 'a turn of its id was started before.'
    : wireText(error);
}
