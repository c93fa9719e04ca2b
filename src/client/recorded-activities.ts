import type { LoadedDataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import {
  CALL_MODEL,
  type CallModelInput,
  CHECK_ANSWER,
  CHECK_SUB_AGENT,
  type CheckAnswerInput,
  type CheckedAnswer,
  type CheckedCall,
  type InterruptedReply,
  type ModelReply,
  type NoPlanReply,
  type RunToolInput,
  SEAL_TRANSCRIPT,
  SUB_AGENT_USAGE,
} from '../shared/activities.js';
import { COMPACT_TRANSCRIPT, type CompactInput, type TooLongReply } from '../shared/compaction/wire.js';
import { WORKER_LOST } from '../shared/failures.js';
import type { Json } from '../shared/json.js';
import type { ModelEnd, RecordedStep } from '../shared/recorded-step.js';
import { asToolInput, isRemoteCall, type RemoteCall } from '../shared/remote-tools.js';
import { lastWordIn, modelTimedOut, partialTextOf, type ToolEnd, triedIn } from '../shared/settle.js';
import { hookedStep, isOfHooks } from './hooked-step.js';
import { decodeFailure, decodePayloads } from './payloads.js';
import { compactionEnd } from './recorded-compaction.js';
import { type RawEnd, remoteEnd } from './recorded-remote.js';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type WithoutTime<Step> = Step extends unknown ? Omit<Step, 'at'> : never;
/** What an event tells, beside when. */
export type UntimedStep = WithoutTime<RecordedStep>;

/** `remote`: of a call of a remote tool, whose arguments are the input. */
type Scheduled = { type: string; input: unknown; remote?: RemoteCall };
type Ended = { scheduled: Scheduled; attempt: number; end: RawEnd };

const HEARTBEAT_TIMEOUT = 4;
const START_TO_CLOSE_TIMEOUT = 1;
const CANCEL_REQUESTED = 7;

/** Reads the events of a turn's history that tell of its activities: model calls, tools, and what is around them. */
export class RecordedActivities {
  readonly #converter: LoadedDataConverter;
  /** Both by the event that scheduled the activity. */
  readonly #scheduled = new Map<string, Scheduled>();
  readonly #attempts = new Map<string, number>();

  constructor(converter: LoadedDataConverter) {
    this.#converter = converter;
  }

  /** Each run counts its events anew. */
  runStarted(): void {
    this.#scheduled.clear();
    this.#attempts.clear();
  }

  async read(event: HistoryEvent): Promise<UntimedStep | undefined> {
    return (await this.#scheduledStep(event)) ?? (await this.#endedStep(event));
  }

  async #scheduledStep(event: HistoryEvent): Promise<UntimedStep | undefined> {
    const started = event.activityTaskStartedEventAttributes;
    if (started) {
      this.#attempts.set(String(started.scheduledEventId), started.attempt ?? 1);
      return undefined;
    }
    const attributes = event.activityTaskScheduledEventAttributes;
    if (!attributes) return undefined;
    const [input, second] = await this.#decode(attributes.input?.payloads);
    const type = attributes.activityType?.name ?? '';
    const remote = isRemoteCall(second) ? second : undefined;
    this.#scheduled.set(String(event.eventId), { type, input, ...(remote && { remote }) });
    if (remote) {
      return { kind: 'tool_scheduled', activityType: type, input: asToolInput(input as Json, remote) };
    }
    if (isOurOwn(type) || type === CHECK_ANSWER || type === CHECK_SUB_AGENT) return undefined;
    if (type === COMPACT_TRANSCRIPT) {
      const { iteration, trigger } = input as CompactInput;
      return { kind: 'compaction_scheduled', iteration, trigger };
    }
    if (type === CALL_MODEL) {
      const { iteration, steers = [], outputRequest, notes } = input as CallModelInput;
      const told = { ...(outputRequest && { outputRequest }), ...(notes && { notes }) };
      return { kind: 'model_scheduled', iteration, steers, ...told };
    }
    return { kind: 'tool_scheduled', activityType: type, input: input as RunToolInput };
  }

  async #endedStep(event: HistoryEvent): Promise<UntimedStep | undefined> {
    const ended = await this.#ended(event);
    if (!ended) return undefined;
    const { scheduled, attempt, end } = ended;
    if (isOfHooks(scheduled.type))
      return hookedStep(scheduled, end.kind === 'completed' ? end.output : undefined);
    if (isOurOwn(scheduled.type)) return undefined;
    if (scheduled.type === COMPACT_TRANSCRIPT)
      return { kind: 'compaction_ended', attempt, end: compactionEnd(scheduled.input as CompactInput, end) };
    if (scheduled.type === CALL_MODEL)
      return { kind: 'model_ended', attempt, end: await this.#modelEnd(end) };
    if (scheduled.type === CHECK_ANSWER) {
      const { callId } = scheduled.input as CheckAnswerInput;
      if (callId === undefined || end.kind === 'canceled' || isCutByCancel(event)) return undefined;
      const answer = end.kind === 'completed' ? (end.output as CheckedAnswer) : undefined;
      return { kind: 'answer_checked', callId, ...(answer && { answer }) };
    }
    if (scheduled.type === CHECK_SUB_AGENT) {
      if (end.kind === 'canceled') return undefined;
      const { callId } = scheduled.input as RunToolInput;
      const checked = end.kind === 'completed' && { checked: end.output as CheckedCall };
      return { kind: 'sub_agent_checked', callId, ...checked };
    }
    const { type: activityType, remote } = scheduled;
    const of = { kind: 'tool_ended' as const, activityType, attempt };
    if (!remote) return { ...of, input: scheduled.input as RunToolInput, end: await this.#toolEnd(end) };
    const args = scheduled.input as Json;
    return { ...of, input: asToolInput(args, remote), end: remoteEnd(args, remote, end) };
  }

  async #ended(event: HistoryEvent): Promise<Ended | undefined> {
    const completed = event.activityTaskCompletedEventAttributes;
    const canceled = event.activityTaskCanceledEventAttributes;
    const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
    const key = String((completed ?? canceled ?? failed)?.scheduledEventId);
    const scheduled = this.#scheduled.get(key);
    if (!scheduled) return undefined;
    const of = (end: RawEnd) => ({ scheduled, attempt: this.#attempts.get(key) ?? 1, end });
    if (completed) {
      const [output] = await this.#decode(completed.result?.payloads);
      return of({ kind: 'completed', output });
    }
    if (canceled) {
      const [details] = await this.#decode(canceled.details?.payloads);
      return of({ kind: 'canceled', details });
    }
    const failure = failed?.failure && (await decodeFailure(this.#converter, failed.failure));
    return of({ kind: 'failed', failure });
  }

  async #modelEnd(end: RawEnd): Promise<ModelEnd> {
    if (end.kind === 'completed') {
      const output = end.output as ModelReply | InterruptedReply | TooLongReply | NoPlanReply;
      if ('tooLong' in output || 'noPlan' in output) return { kind: 'passed_over', output };
      return 'interrupted' in output
        ? { kind: 'canceled', text: output.text, told: output }
        : { kind: 'completed', output };
    }
    if (end.kind === 'canceled') {
      return { kind: 'canceled', text: partialTextOf(end.details), told: end.details };
    }
    const { message, timeoutFailureInfo: timeout, applicationFailureInfo: application } = end.failure ?? {};
    const payloads = timeout?.lastHeartbeatDetails ?? application?.details;
    const [told] = await this.#decode(payloads?.payloads);
    const type = timeout ? 'Model.Timeout' : (application?.type ?? 'Model.Failed');
    const text = timeout ? modelTimedOut(message ?? '') : (message ?? '');
    return { kind: 'failed', type, text, told };
  }

  async #toolEnd(end: RawEnd): Promise<ToolEnd> {
    if (end.kind === 'completed') return end as ToolEnd;
    if (end.kind === 'canceled') return { kind: 'canceled', ...lastWordIn(end.details) };
    const { timeoutFailureInfo: timeout, applicationFailureInfo: application } = end.failure ?? {};
    if (timeout?.timeoutType === START_TO_CLOSE_TIMEOUT) return { kind: 'overdue' };
    if (timeout?.timeoutType === HEARTBEAT_TIMEOUT) {
      const [beat] = await this.#decode(timeout.lastHeartbeatDetails?.payloads);
      return { kind: 'lost', ...lastWordIn(beat) };
    }
    const [details] = await this.#decode(application?.details?.payloads);
    if (application?.type === WORKER_LOST) return { kind: 'lost', ...lastWordIn(details) };
    const type = application?.type ?? 'Tool.Failed';
    return { kind: 'failed', type, text: end.failure?.message ?? '', ...triedIn(details) };
  }

  async #decode(payloads: Parameters<typeof decodePayloads>[1]): Promise<unknown[]> {
    return await decodePayloads(this.#converter, payloads);
  }
}

/** The turn does not show it. */
function isOurOwn(type: string): boolean {
  return type === SEAL_TRANSCRIPT || type === SUB_AGENT_USAGE || isOfHooks(type);
}

/** It failed, and was not tried again because it was to be canceled. */
function isCutByCancel({ activityTaskFailedEventAttributes: failed }: HistoryEvent): boolean {
  return failed?.retryState === CANCEL_REQUESTED;
}
