import type { LoadedDataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { decodeFailure, decodePayloads } from '../../client/payloads.js';
import { CALL_MODEL } from '../../shared/activities.js';
import { COMPACT_TRANSCRIPT } from '../../shared/compaction/wire.js';
import { PEOPLE_MEMO, type PeopleMemo } from '../../shared/people.js';
import { SLEEP_MEMO, type SleepMemo } from '../../shared/sleep.js';
import { duration } from '../turn-printer.js';

export type Described = temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse;
type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;
type Time = PendingActivity['scheduledTime'];

/** One thing that a running turn waits for. */
export type Awaited = {
  /** `workflow_task`: the turn's own next step. `person`: an approval, or an answer. */
  kind: 'model' | 'tool' | 'sub_agent' | 'workflow_task' | 'person' | 'sleep';
  /** Of the tool; of the sub-agent's turn, the id. */
  name?: string;
  /** What a person is asked, and the call that a decision names. */
  summary?: string;
  callId?: string;
  /** `queued`: no worker has taken it yet. `retrying`: it has failed, and is tried again at `nextAt`. */
  state: 'running' | 'queued' | 'retrying';
  /** From 1. */
  attempt: number;
  /** ISO 8601: since when it runs, or is in the queue. */
  since?: string;
  /** Of one that sleeps, until when. */
  nextAt?: string;
  lastFailure?: { type: string; message: string };
};

const ACTIVITY_SCHEDULED = 1;
const TASK_STARTED = 2;

/** What a running turn waits for, as the server knows it: no worker is asked. */
export async function awaitedBy(described: Described, converter: LoadedDataConverter): Promise<Awaited[]> {
  const activities = described.pendingActivities ?? [];
  const subAgents = (described.pendingChildren ?? []).map(({ workflowId }): Awaited => {
    return { kind: 'sub_agent', name: workflowId ?? '', state: 'running', attempt: 1 };
  });
  const ran = await Promise.all(activities.map((activity) => ofActivity(activity, converter)));
  const waited = [...ran, ...subAgents, ...(await ofMemos(described, converter))];
  const task = described.pendingWorkflowTask;
  if (!task) return waited;
  const { state, attempt, scheduledTime, startedTime } = task;
  const isRunning = state === TASK_STARTED;
  const since = isoTime(isRunning ? startedTime : scheduledTime);
  return [
    {
      kind: 'workflow_task',
      state: isRunning ? 'running' : 'queued',
      attempt: attempt ?? 1,
      ...(since && { since }),
    },
    ...waited,
  ];
}

async function ofMemos(described: Described, converter: LoadedDataConverter): Promise<Awaited[]> {
  const { fields } = described.workflowExecutionInfo?.memo ?? {};
  const memoOf = async (name: string): Promise<unknown> => {
    const payload = fields?.[name];
    const [memo] = payload ? await decodePayloads(converter, [payload]) : [];
    return memo ?? {};
  };
  const { waiting = [] } = (await memoOf(PEOPLE_MEMO)) as Partial<PeopleMemo>;
  const { sleeping = [] } = (await memoOf(SLEEP_MEMO)) as Partial<SleepMemo>;
  const people = waiting.map(({ name, summary, callId, since }): Awaited => {
    return { kind: 'person', name, summary, callId, since, state: 'running', attempt: 1 };
  });
  const asleep = sleeping.map(({ callId, until }): Awaited => {
    return { kind: 'sleep', callId, nextAt: until, state: 'running', attempt: 1 };
  });
  return [...people, ...asleep];
}

async function ofActivity(activity: PendingActivity, converter: LoadedDataConverter): Promise<Awaited> {
  const type = activity.activityType?.name ?? '';
  const attempt = activity.attempt ?? 1;
  const isQueued = activity.state === ACTIVITY_SCHEDULED;
  const next = isoTime(activity.scheduledTime);
  const isLater = isQueued && next !== undefined && Date.parse(next) > Date.now();
  const since = isQueued ? next : isoTime(activity.lastStartedTime);
  const failure = activity.lastFailure && (await decodeFailure(converter, activity.lastFailure));
  const lastFailure = failure && {
    type: failure.applicationFailureInfo?.type ?? 'Worker.Lost',
    message: failure.message ?? '',
  };
  return {
    ...(type === CALL_MODEL ? { kind: 'model' } : { kind: 'tool', name: type }),
    state: isLater ? 'retrying' : isQueued ? 'queued' : 'running',
    attempt,
    ...(isLater ? { nextAt: next } : since && { since }),
    ...(lastFailure && { lastFailure }),
  };
}

/** `bash, for 12 s`, `the model, try 3 in 8 s (Model.RateLimited)`, `a worker, to run bash`. */
export function awaitedText(awaited: Awaited, now: number = Date.now()): string {
  const { kind, name, state, attempt, since, nextAt, lastFailure } = awaited;
  if (kind === 'sleep') return `its time: it sleeps until ${nextAt}`;
  const what =
    kind === 'person'
      ? `a person: ${awaited.summary} (${awaited.callId})`
      : kind === 'model'
        ? 'the model'
        : (name ?? 'its next step');
  const tried = attempt > 1 ? `, try ${attempt}` : '';
  const why = lastFailure && attempt > 1 ? ` (${lastFailure.type})` : '';
  const age = since === undefined ? '' : `, for ${duration(Math.max(0, now - Date.parse(since)))}`;
  switch (state) {
    case 'running':
      return `${what}${tried}${age}${why}`;
    case 'retrying':
      return `${what}${tried} in ${duration(Math.max(0, Date.parse(nextAt ?? '') - now))}${why}`;
    case 'queued':
      return kind === 'workflow_task'
        ? `a worker${tried}${age}`
        : `a worker, ${kind === 'model' ? 'to call' : 'to run'} ${what}${tried}${age}${why}`;
    default:
      return state satisfies never;
  }
}

/** Model calls that have answered, by the place that a pending activity's id tells; undefined between two of them. */
export function answeredCalls(described: Described): number | undefined {
  for (const { activityId, activityType } of described.pendingActivities ?? []) {
    const [, place] = /^i(\d+)\./.exec(activityId ?? '') ?? [];
    if (place !== undefined) return Number(place) + (isOfModel(activityType?.name) ? 0 : 1);
  }
  return undefined;
}

/** Made before the reply. */
function isOfModel(type: string | null | undefined): boolean {
  return type === CALL_MODEL || type === COMPACT_TRANSCRIPT;
}

export function isoTime(time: Time): string | undefined {
  if (!time) return undefined;
  return new Date(Number(time.seconds ?? 0) * 1000 + (time.nanos ?? 0) / 1e6).toISOString();
}
