import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import { CALL_MODEL, type CallModelInput, type ModelReply } from '../shared/activities.js';
import { partialReply } from '../shared/opening.js';
import { partialTextOf } from '../shared/settle.js';
import { wireLine, wireText } from '../shared/wire-text.js';
import type { Interruption } from './interruption.js';
import type { TurnRun } from './turn-run.js';

type ModelActivities = { [CALL_MODEL](input: CallModelInput): Promise<ModelReply> };

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
 * One model call. Its reply is already planned: what is to be done with each tool call is part of it.
 * After an interrupt, the text that had come by then is added to the transcript.
 * Fails the turn when the model's fault outlived its retries, with the outcome so far in the failure's details.
 */
export async function callModel(
  run: TurnRun,
  interruption: Interruption,
): Promise<ModelReply | 'interrupted'> {
  let reply: ModelReply | undefined;
  let fault: unknown;
  const scope = new CancellationScope();
  const call = scope.run(() => proxy(run)[CALL_MODEL](inputOf(run)));
  const work = call.then(
    (value) => {
      reply = value;
    },
    (error: unknown) => {
      fault = error;
    },
  );
  await interruption.settle(work, run.settings?.settleMs ?? SETTLE_MS);
  if (reply) {
    run.count(reply);
    return reply;
  }
  if (!interruption.requested) throw turnFailure(run, fault);
  keepPartialText(run, fault);
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

function inputOf(run: TurnRun): CallModelInput {
  const { input, settings } = run;
  const version = settings?.version ?? input.version;
  const model = settings?.model ?? input.model;
  return {
    v: 1,
    agent: input.agent,
    turnId: run.turnId,
    iteration: run.iteration,
    transcript: run.transcript.ref(),
    stream: input.stream ?? false,
    ...(version !== undefined && { version }),
    ...(model !== undefined && { model }),
    ...(!settings && { resolve: { limits: input.limits ?? {} } }),
    ...(input.metadata && { metadata: input.metadata }),
  };
}

/** The activity's cancellation carries the text that it had streamed. */
function keepPartialText(run: TurnRun, fault: unknown): void {
  const cause = fault instanceof ActivityFailure ? fault.cause : undefined;
  const text = cause instanceof CancelledFailure ? partialTextOf(cause.details?.[0]) : '';
  if (text === '') return;
  run.transcript.add(partialReply(run.firstRunId, run.iteration, text));
}

/** Anything but an ApplicationFailure would make Temporal retry the workflow task for ever. */
function turnFailure(run: TurnRun, fault: unknown): ApplicationFailure {
  const cause = fault instanceof ActivityFailure ? fault.cause : fault;
  const [type, text] =
    cause instanceof ApplicationFailure
      ? [cause.type ?? 'Model.Failed', cause.message]
      : cause instanceof TimeoutFailure
        ? ['Model.Timeout', `No worker finished the model call: ${cause.message}`]
        : ['Model.Failed', String(cause)];
  return ApplicationFailure.create({
    type: wireText(type),
    message: wireText(text),
    nonRetryable: true,
    details: [run.end('failed')],
    ...(fault instanceof Error && { cause: fault }),
  });
}
