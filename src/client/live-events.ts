import type { LoadedDataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import { CALL_MODEL } from '../shared/activities.js';
import { COMPACT_TRANSCRIPT } from '../shared/compaction/wire.js';
import type { TurnEvent } from '../shared/events.js';
import type { TurnFold } from '../shared/fold.js';
import type { Heartbeat } from '../shared/heartbeats.js';
import { wireLine } from '../shared/wire-text.js';
import { decodeFailure, decodePayloads } from './payloads.js';

type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

/** What was already told of one running activity. */
type Told = {
  attempt: number;
  textLength: number;
  progress: string | undefined;
  retryOf: number;
  /** Until when it waits, `''` where nobody knows. */
  waiting: string | undefined;
};

const NOTHING_TOLD = { textLength: 0, progress: undefined, waiting: undefined };

/** Tells what heartbeats add to the recorded events: text as it comes, progress, failed attempts. */
export class LiveEvents {
  readonly #converter: LoadedDataConverter;
  readonly #told = new Map<string, Told>();

  constructor(converter: LoadedDataConverter) {
    this.#converter = converter;
  }

  async read(pending: readonly Pending[], fold: TurnFold): Promise<TurnEvent[]> {
    const events = await Promise.all(pending.map((activity) => this.#readOne(activity, fold)));
    return events.flat();
  }

  async #readOne(activity: Pending, fold: TurnFold): Promise<TurnEvent[]> {
    const id = activity.activityId ?? '';
    const attempt = activity.attempt ?? 1;
    const told = this.#told.get(id) ?? { attempt, ...NOTHING_TOLD, retryOf: 0 };
    this.#told.set(id, told);
    const base = {
      v: 1 as const,
      seq: fold.seq,
      turnId: fold.turnId,
      iteration: fold.iteration,
      attempt,
      at: new Date().toISOString(),
    };
    const events: TurnEvent[] = [];
    const type = activity.activityType?.name;
    const isModel = type === CALL_MODEL || type === COMPACT_TRANSCRIPT;
    if (attempt > told.attempt) {
      if (isModel && told.textLength > 0) events.push({ ...base, type: 'reset' });
      Object.assign(told, { attempt, ...NOTHING_TOLD });
    }
    if (attempt > 1 && told.retryOf < attempt - 1 && activity.lastFailure) {
      told.retryOf = attempt - 1;
      const lastFailure = await decodeFailure(this.#converter, activity.lastFailure);
      events.push({ ...base, ...this.#retryWaiting({ ...activity, lastFailure }, isModel, fold) });
    }
    const news = this.#news(await this.#beat(activity, attempt), told, callIdOf(id, fold));
    return news ? [...events, { ...base, ...news }] : events;
  }

  /** Of a remote tool it may be anything: a text is its progress. */
  async #beat(activity: Pending, attempt: number): Promise<Heartbeat | undefined> {
    const isOurs = activity.activityType?.name === CALL_MODEL;
    const [beat] = await decodePayloads(this.#converter, activity.heartbeatDetails?.payloads).catch(
      (error: unknown) => {
        if (isOurs) throw error;
        return [];
      },
    );
    if (typeof beat === 'string')
      return { v: 1, kind: 'tool', attempt, begun: true, progress: wireLine(beat) };
    const isBeat = typeof beat === 'object' && beat !== null && 'kind' in beat && 'v' in beat;
    return isBeat ? (beat as Heartbeat) : undefined;
  }

  #news(beat: Heartbeat | undefined, told: Told, callId: string) {
    if (beat?.attempt !== told.attempt) return undefined;
    if (beat.kind === 'tool') {
      if (beat.progress === undefined || beat.progress === told.progress) return undefined;
      told.progress = beat.progress;
      return { type: 'tool_progress' as const, callId, text: beat.progress };
    }
    if (beat.kind !== 'model') return undefined;
    if (beat.waiting) {
      const { untilAt = '' } = beat.waiting;
      if (told.waiting === untilAt) return undefined;
      told.waiting = untilAt;
      return { type: 'limit_waiting' as const, ...(untilAt !== '' && { untilAt }) };
    }
    const end = beat.offset + beat.text.length;
    if (end <= told.textLength) return undefined;
    const from = Math.max(told.textLength, beat.offset);
    told.textLength = end;
    return { type: 'text_delta' as const, text: beat.text.slice(from - beat.offset), offset: from };
  }

  #retryWaiting(activity: Pending, isModel: boolean, fold: TurnFold) {
    const failure = {
      type: activity.lastFailure?.applicationFailureInfo?.type ?? 'Worker.Lost',
      message: activity.lastFailure?.message ?? '',
    };
    return {
      type: 'retry_waiting' as const,
      failure,
      ...(!isModel && { callId: callIdOf(activity.activityId ?? '', fold) }),
      ...(activity.scheduledTime && { untilAt: isoTime(activity.scheduledTime) }),
    };
  }
}

function isoTime({ seconds, nanos }: NonNullable<Pending['scheduledTime']>): string {
  return new Date(Number(seconds ?? 0) * 1000 + Math.floor((nanos ?? 0) / 1e6)).toISOString();
}

/** `i3.0.call_abc` is the call `call_abc`, of which it holds 40 characters. */
function callIdOf(activityId: string, fold: TurnFold): string {
  const cut = activityId.split('.')[2] ?? activityId;
  return fold.pending().find((call) => call.id.slice(0, 40) === cut)?.id ?? cut;
}
