import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import {
  CALL_MODEL,
  type CallModelInput,
  type InterruptedReply,
  type ModelReply,
  type NoPlanReply,
} from '../shared/activities.js';
import { notCompacted, type TooLongReply } from '../shared/compaction/wire.js';
import { partialReply } from '../shared/opening.js';
import { modelTimedOut, partialTextOf } from '../shared/settle.js';
import type { TurnInput } from '../shared/turn-input.js';
import { addFailed, noUsage, spentIn } from '../shared/usage.js';
import { wireLine, wireText } from '../shared/wire-text.js';
import { compactTooLong, type Refusals } from './compaction.js';
import type { Asked } from './guards.js';
import type { Interventions } from './interventions.js';
import { lastWord } from './last-word.js';
import { MODEL_RETRY } from './model-retry.js';
import type { TurnRun } from './turn-run.js';

type Answer = ModelReply | InterruptedReply | TooLongReply | NoPlanReply;
/** `exceeded`: a compaction before it has used up a budget. */
type NoReply = 'interrupted' | 'failed' | 'exceeded' | 'no_plan';
type ModelActivities = { [CALL_MODEL](input: CallModelInput): Promise<Answer> };

// These are needed before the turn's settings are known, and are not part of what a replay compares.
const CALL_OPTIONS = {
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: MODEL_RETRY,
} as const;
/** The turn has all that it did without it. */
const CLOSING_ATTEMPTS = 3;
const SETTLE_MS = 2000;

/**
 * One model call. Its reply is already planned: what is to be done with each tool call is part of it. `steers` are the
 * ids of messages that this call is the first to see. After an interrupt, the text that had come by then is added to
 * the transcript. Where it is too long it is compacted and the call made again, unless that has used up a budget. Fails the
 * turn when the model's fault outlived its retries, with the outcome so far in the details; but a closing call that fails is
 * only missing, and so is a plan of which nothing came.
 */
export async function callModel(
  run: TurnRun,
  interventions: Interventions,
  steers: string[],
  asked: Asked,
  refusals: Refusals = { times: 0 },
): Promise<ModelReply | NoReply> {
  const work = proxy(run, asked)[CALL_MODEL](inputOf(run, steers, asked, refusals));
  const { value: answer, fault } = await interventions.waitFor(work, run.settings?.settleMs ?? SETTLE_MS);
  if (answer && 'tooLong' in answer) {
    const after = await compactTooLong(run, interventions, answer, refusals);
    if (interventions.ending) return 'interrupted';
    if (run.settings?.compaction?.keepsToBudget && run.guards.exceeded) return 'exceeded';
    return await callModel(run, interventions, [], asked, after);
  }
  if (answer && 'noPlan' in answer) {
    run.takeSettings(answer);
    run.countSpent(answer.spent ?? noUsage);
    run.unanswered(answer);
    return 'no_plan';
  }
  if (answer && !('interrupted' in answer)) {
    run.count(answer);
    return answer;
  }
  // The worker told its activity of an interrupt that the server then lost: it did not happen.
  if (answer && !interventions.interrupted) {
    run.countSpent(answer.spent ?? noUsage);
    run.unanswered(answer);
    return await callModel(run, interventions, [], asked, refusals);
  }
  run.countSpent(
    answer?.spent ?? spentIn(lastWord(fault)) ?? (fault ? noUsage : addFailed(noUsage, 'unknown')),
  );
  if (!interventions.interrupted) {
    const failure = failureOf(run, fault, refusals);
    if (asked.isClosing) return 'failed';
    throw turnFailure(run, interventions, failure, fault);
  }
  run.unanswered(answer ?? lastWord(fault));
  const text = answer?.text ?? partialText(fault);
  if (text.trim() !== '') run.transcript.add(partialReply(run.firstRunId, run.iteration, text));
  return 'interrupted';
}

function proxy(run: TurnRun, { withoutTools, isClosing }: Asked): ModelActivities {
  const { iteration, settings, input } = run;
  const model = settings?.model ?? input.model ?? 'model';
  const what = isClosing ? ', the closing answer' : withoutTools ? ', a plan' : '';
  return proxyActivities<ModelActivities>({
    ...CALL_OPTIONS,
    ...(isClosing && { retry: { ...MODEL_RETRY, maximumAttempts: CLOSING_ATTEMPTS } }),
    activityId: `i${iteration}.model`,
    summary: wireLine(`${model} · call ${iteration + 1}${what}`),
    ...(input.tenant !== undefined && { priority: { fairnessKey: input.tenant } }),
  });
}

function inputOf(
  run: TurnRun,
  steers: string[],
  { notes, withoutTools }: Asked,
  { times }: Refusals,
): CallModelInput {
  const { input, settings } = run;
  const isSubAgent = input.parent !== undefined && !input.parent.isSession;
  const { automatic = false, maxPerCall = 0 } = settings?.compaction ?? {};
  const compacts = settings ? automatic && times < maxPerCall : times === 0;
  const first = resolvedBy(input, isSubAgent);
  const version = settings?.version ?? input.version;
  const model = settings?.model ?? input.model;
  const plan = run.guards.planFor(notes);
  return {
    v: 1,
    agent: input.agent,
    turnId: run.turnId,
    iteration: run.iteration,
    transcript: run.transcript.ref(),
    stream: input.stream ?? false,
    ...(steers.length > 0 && { steers }),
    ...(notes.length > 0 && { notes }),
    ...(withoutTools && { withoutTools }),
    ...(run.outputRequest && { outputRequest: run.outputRequest }),
    ...(version !== undefined && { version }),
    ...(model !== undefined && { model }),
    ...(settings?.mcp && { mcp: settings.mcp }),
    ...(!settings && { resolve: first }),
    ...(settings && run.iteration === 0 && { opens: first }),
    ...run.people.carried,
    ...(input.parent?.permissions && { above: input.parent.permissions }),
    ...(input.modelOptions && { modelOptions: input.modelOptions }),
    ...(input.metadata && { metadata: input.metadata }),
    ...(compacts && { compacts }),
    ...(plan && { plan }),
  };
}

function resolvedBy(
  { limits = {}, share }: TurnInput,
  isSubAgent: boolean,
): NonNullable<CallModelInput['resolve']> {
  return { limits, ...(isSubAgent && { isSubAgent: true }), ...(share && { share }) };
}

/** A cancellation that came with a heartbeat carries the text that had been streamed. */
function partialText(fault: unknown): string {
  const cause = fault instanceof ActivityFailure ? fault.cause : undefined;
  return cause instanceof CancelledFailure ? partialTextOf(cause.details?.[0]) : '';
}

/** Recorded as the step that it was. */
function failureOf(run: TurnRun, fault: unknown, { problem }: Refusals): { type: string; text: string } {
  const cause = fault instanceof ActivityFailure ? fault.cause : fault;
  const [type, text] =
    cause instanceof ApplicationFailure
      ? [cause.type ?? 'Model.Failed', cause.message]
      : cause instanceof TimeoutFailure
        ? ['Model.Timeout', modelTimedOut(cause.message)]
        : ['Model.Failed', String(cause)];
  run.unanswered(lastWord(fault), `${type}: ${text}`);
  const isTooLong = type === 'Model.ContextTooLong' && problem !== undefined;
  return { type, text: isTooLong ? notCompacted(problem, text) : text };
}

/** Anything but an ApplicationFailure would make Temporal retry the workflow task for ever. */
function turnFailure(
  run: TurnRun,
  interventions: Interventions,
  { type, text }: { type: string; text: string },
  fault: unknown,
): ApplicationFailure {
  return ApplicationFailure.create({
    type: wireText(type),
    message: wireText(text),
    nonRetryable: true,
    details: [run.end('failed', interventions)],
    ...(fault instanceof Error && { cause: fault }),
  });
}
