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
} from '../shared/activities.js';
import type { TooLongReply } from '../shared/compaction/wire.js';
import { partialReply } from '../shared/opening.js';
import { modelTimedOut, partialTextOf } from '../shared/settle.js';
import { addFailed, noUsage, spentIn } from '../shared/usage.js';
import { wireLine, wireText } from '../shared/wire-text.js';
import { compactTooLong } from './compaction.js';
import type { Interventions } from './interventions.js';
import { lastWord } from './last-word.js';
import type { TurnRun } from './turn-run.js';

type Answer = ModelReply | InterruptedReply | TooLongReply;
type ModelActivities = { [CALL_MODEL](input: CallModelInput): Promise<Answer> };

// These are needed before the turn's settings are known, and are not part of what a replay compares.
const CALL_OPTIONS = {
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: {
    initialInterval: '1 second',
    backoffCoefficient: 2,
    maximumInterval: '1 minute',
    maximumAttempts: 10,
  },
} as const;
const SETTLE_MS = 2000;

/**
 * One model call. Its reply is already planned: what is to be done with each tool call is part of it. `steers` are the
 * ids of messages that this call is the first to see. After an interrupt, the text that had come by then is added to
 * the transcript. Where it is too long it is compacted and the call made again, `refused` times so far. Fails the turn
 * when the model's fault outlived its retries, with the outcome so far in the details.
 */
export async function callModel(
  run: TurnRun,
  interventions: Interventions,
  steers: string[],
  refused = 0,
): Promise<ModelReply | 'interrupted'> {
  const work = proxy(run)[CALL_MODEL](inputOf(run, steers, refused));
  const { value: answer, fault } = await interventions.settle(work, run.settings?.settleMs ?? SETTLE_MS);
  if (answer && 'tooLong' in answer) {
    const mayAgain = await compactTooLong(run, interventions, answer);
    if (interventions.ending) return 'interrupted';
    return await callModel(run, interventions, [], mayAgain ? refused + 1 : Number.POSITIVE_INFINITY);
  }
  if (answer && !('interrupted' in answer)) {
    run.count(answer);
    return answer;
  }
  // The worker told its activity of an interrupt that the server then lost: it did not happen.
  if (answer && !interventions.interrupted) {
    run.countSpent(answer.spent ?? noUsage);
    run.unanswered(answer);
    return await callModel(run, interventions, [], refused);
  }
  run.countSpent(
    answer?.spent ?? spentIn(lastWord(fault)) ?? (fault ? noUsage : addFailed(noUsage, 'unknown')),
  );
  if (!interventions.interrupted) throw turnFailure(run, interventions, fault);
  run.unanswered(answer ?? lastWord(fault));
  const text = answer?.text ?? partialText(fault);
  if (text.trim() !== '') run.transcript.add(partialReply(run.firstRunId, run.iteration, text));
  return 'interrupted';
}

function proxy(run: TurnRun): ModelActivities {
  const { iteration, settings, input } = run;
  const model = settings?.model ?? input.model ?? 'model';
  return proxyActivities<ModelActivities>({
    ...CALL_OPTIONS,
    activityId: `i${iteration}.model`,
    summary: wireLine(`${model} · call ${iteration + 1}`),
    ...(input.tenant !== undefined && { priority: { fairnessKey: input.tenant } }),
  });
}

function inputOf(run: TurnRun, steers: string[], refused: number): CallModelInput {
  const { input, settings } = run;
  const { automatic = false, maxPerCall = 0 } = settings?.compaction ?? {};
  const compacts = settings ? automatic && refused < maxPerCall : refused === 0;
  const version = settings?.version ?? input.version;
  const model = settings?.model ?? input.model;
  return {
    v: 1,
    agent: input.agent,
    turnId: run.turnId,
    iteration: run.iteration,
    transcript: run.transcript.ref(),
    stream: input.stream ?? false,
    ...(steers.length > 0 && { steers }),
    ...(run.outputRequest && { outputRequest: run.outputRequest }),
    ...(version !== undefined && { version }),
    ...(model !== undefined && { model }),
    ...(settings?.mcp && { mcp: settings.mcp }),
    ...(!settings && { resolve: { limits: input.limits ?? {} } }),
    ...run.people.carried,
    ...(input.parent?.permissions && { above: input.parent.permissions }),
    ...(input.modelOptions && { modelOptions: input.modelOptions }),
    ...(input.metadata && { metadata: input.metadata }),
    ...(compacts && { compacts }),
  };
}

/** A cancellation that came with a heartbeat carries the text that had been streamed. */
function partialText(fault: unknown): string {
  const cause = fault instanceof ActivityFailure ? fault.cause : undefined;
  return cause instanceof CancelledFailure ? partialTextOf(cause.details?.[0]) : '';
}

/** Anything but an ApplicationFailure would make Temporal retry the workflow task for ever. */
function turnFailure(run: TurnRun, interventions: Interventions, fault: unknown): ApplicationFailure {
  const cause = fault instanceof ActivityFailure ? fault.cause : fault;
  const [type, text] =
    cause instanceof ApplicationFailure
      ? [cause.type ?? 'Model.Failed', cause.message]
      : cause instanceof TimeoutFailure
        ? ['Model.Timeout', modelTimedOut(cause.message)]
        : ['Model.Failed', String(cause)];
  run.unanswered(lastWord(fault), `${type}: ${text}`);
  return ApplicationFailure.create({
    type: wireText(type),
    message: wireText(text),
    nonRetryable: true,
    details: [run.end('failed', interventions)],
    ...(fault instanceof Error && { cause: fault }),
  });
}
