import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancelledFailure,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import {
  CHECK_CALL,
  type CheckedCall,
  KEEP_RESULT,
  type KeepResultInput,
  type RunToolInput,
  type RunToolResult,
} from '../shared/activities.js';
import type { Json } from '../shared/json.js';
import type { ToolResultBlock } from '../shared/messages.js';
import {
  type RemoteCall,
  type RemotePlace,
  remoteFaultEnd,
  remoteReturned,
  resultOfCheck,
  TOO_LARGE,
} from '../shared/remote-tools.js';
import type { ToolEnd } from '../shared/settle.js';
import { notStarted } from '../shared/tool-results.js';
import { type CallToRun, endOf } from './tool-activity.js';
import type { TurnRun } from './turn-run.js';

type RemoteActivities = { [type: string]: (args: Json, call: RemoteCall) => Promise<unknown> };
type OwnActivities = {
  [CHECK_CALL](input: RunToolInput): Promise<CheckedCall>;
  [KEEP_RESULT](input: KeepResultInput): Promise<RunToolResult>;
};

/** A fault's end that Temporal is not to try again: with heartbeats, what takes too long is slow, and not lost. */
const TOO_SLOW = 'TemporalTimeout:StartToClose';
const OWN_OPTIONS = {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds', maximumAttempts: 5 },
} as const;

/**
 * Runs a call as an activity of another worker, and says how it ended; never throws. `activityId` is its own, and
 * `input` what a tool of ours would be given. `onMuch` is told what the result is while our own worker makes a better one.
 */
export async function runRemoteTool(
  run: TurnRun,
  call: CallToRun,
  remote: RemotePlace,
  { activityId, input }: { activityId: string; input: RunToolInput },
  onMuch: (inShort: ToolResultBlock) => void,
): Promise<ToolEnd> {
  const checked = call.changed ? await check(call, input) : { v: 1 as const, input: call.input };
  if ('result' in checked) return { kind: 'completed', output: checked };
  const { input: args } = checked;
  const context = contextOf(call, remote, input);
  const work = proxyActivities<RemoteActivities>({ ...optionsOf(run, call, remote), activityId })[
    remote.activity
  ];
  if (!work) throw new TypeError(`No activity ${remote.activity}`);
  let returned: unknown;
  try {
    returned = await work(args, context);
  } catch (error) {
    return faultEnd(error);
  }
  const end = remoteReturned(args, context, returned);
  if (end.kind !== 'returned_much') return end;
  onMuch(end.inShort);
  return await keep(run, call, { ...input, input: args, returned: returned as Json }, end.inShort);
}

/** A person's own arguments fit the tool's schema, or are not run with. */
async function check(call: CallToRun, input: RunToolInput): Promise<CheckedCall> {
  const activityId = `i${call.iteration}.${call.index}.check`;
  const called = { id: call.callId, name: call.name };
  try {
    return await own(activityId, `the arguments of ${call.summary}`)[CHECK_CALL](input);
  } catch (error) {
    return { v: 1, result: resultOfCheck(called, endOf(error)) ?? notStarted(called) };
  }
}

/** One at a time: what two of them are given together would be more than Temporal carries. */
async function keep(
  run: TurnRun,
  call: CallToRun,
  input: KeepResultInput,
  inShort: ToolResultBlock,
): Promise<ToolEnd> {
  const activityId = `i${call.iteration}.${call.index}.keep`;
  const work = run.keeping.then(() => own(activityId, `the result of ${call.summary}`)[KEEP_RESULT](input));
  run.keeping = work.then(
    () => undefined,
    () => undefined,
  );
  return work.then(
    (output) => ({ kind: 'completed', output }),
    () => ({ kind: 'completed', output: { v: 1, result: inShort } }),
  );
}

function own(activityId: string, summary: string): OwnActivities {
  return proxyActivities<OwnActivities>({ ...OWN_OPTIONS, activityId, summary });
}

function contextOf(call: CallToRun, remote: RemotePlace, input: RunToolInput): RemoteCall {
  const { turnId, iteration, callId, tool, metadata } = input;
  return {
    v: 1,
    tool,
    turnId,
    callId,
    iteration,
    idempotencyKey: `${turnId}/${iteration}/${callId}`,
    maxResultBytes: call.maxResultBytes ?? remote.maxResultBytes,
    ...(call.changed && { changed: true }),
    ...(metadata && { metadata }),
  };
}

/** What may run only once has one attempt: that it has begun, the other worker does not tell. */
function optionsOf(run: TurnRun, { tool, summary }: CallToRun, remote: RemotePlace): ActivityOptions {
  const { initialMs, maxMs } = run.settings?.toolRetry ?? { initialMs: 200, maxMs: 10_000 };
  const { taskQueue, queueTimeoutMs, heartbeatTimeoutMs } = remote;
  return {
    summary,
    taskQueue,
    scheduleToStartTimeout: queueTimeoutMs,
    startToCloseTimeout: tool.timeoutMs,
    ...(heartbeatTimeoutMs !== undefined && { heartbeatTimeout: heartbeatTimeoutMs }),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: initialMs,
      maximumInterval: maxMs,
      maximumAttempts: tool.idempotent ? tool.maxAttempts : 1,
      nonRetryableErrorTypes: heartbeatTimeoutMs === undefined ? [TOO_LARGE] : [TOO_LARGE, TOO_SLOW],
    },
    ...(run.input.tenant !== undefined && { priority: { fairnessKey: run.input.tenant } }),
  };
}

function faultEnd(error: unknown): ToolEnd {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof CancelledFailure) {
    return remoteFaultEnd({ is: 'canceled', details: cause.details?.[0] });
  }
  if (cause instanceof TimeoutFailure) {
    const types = { SCHEDULE_TO_START: 'queue', HEARTBEAT: 'heartbeat' } as const;
    const type = cause.timeoutType as keyof typeof types;
    return remoteFaultEnd({
      is: 'timeout',
      which: types[type] ?? 'other',
      tried: Boolean(cause.failure?.cause),
    });
  }
  const type = cause instanceof ApplicationFailure ? (cause.type ?? undefined) : undefined;
  return remoteFaultEnd({
    is: 'failure',
    type,
    text: cause instanceof Error ? cause.message : String(cause),
  });
}
