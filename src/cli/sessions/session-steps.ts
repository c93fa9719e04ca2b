import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { runPages } from '../../client/history-pages.js';
import { decodePayloads } from '../../client/payloads.js';
import { isoTime } from '../../client/recorded-steps.js';
import type { CarriedSession } from '../../shared/carried-session.js';
import type { CutPlace } from '../../shared/cut-transcript.js';
import type { SessionInput } from '../../shared/session.js';
import {
  COLLECT_TURN,
  COMPACT_SESSION,
  type CollectedTurn,
  type CompactedSession,
  CUT_TRANSCRIPT,
  type CutTranscript,
  type CutTranscriptInput,
} from '../../shared/session-activities.js';
import {
  type CutReceipt,
  type CutRequest,
  ROLLBACK,
  SET_LIMITS,
  type SetLimitsRequest,
} from '../../shared/session-requests.js';
import { TURN_WORKFLOW } from '../../shared/turn.js';

/** What one event of a session's history tells. */
export type SessionStep =
  | { kind: 'begun'; input: Partial<SessionInput>; carried: CarriedSession | undefined }
  | { kind: 'turn_begun'; turnId: string }
  | { kind: 'turn_refused' }
  | { kind: 'collected'; turn: CollectedTurn }
  | { kind: 'compacted'; made: CompactedSession }
  /** Asked for by a rollback, or by a fork. */
  | { kind: 'cut'; keep: CutPlace; made: CutTranscript }
  | { kind: 'rolled_back'; keep: CutPlace; receipt: CutReceipt }
  | { kind: 'limits_asked'; request: SetLimitsRequest };

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Payloads = temporal.api.common.v1.IPayloads | null | undefined;
type Run = { workflowId: string; runId: string };

const PAGE_EVENTS = 500;

/** One run of a session from its event history, so that no worker is needed. `at`: ISO 8601; an event without a step tells the time. */
export async function* sessionSteps(
  client: Client,
  { workflowId, runId }: Run,
): AsyncGenerator<{ at: string; step: SessionStep | undefined }, void, undefined> {
  const reader = new StepReader(client);
  for await (const events of runPages(client, workflowId, runId, undefined, PAGE_EVENTS)) {
    for (const event of events) yield { at: isoTime(event.eventTime), step: await reader.read(event) };
  }
}

class StepReader {
  readonly #client: Client;
  /** Scheduled activities, with their input. */
  readonly #activities = new Map<string, { type: string; input: Payloads }>();
  /** What updates were asked for, by their ids. */
  readonly #rollbacks = new Map<string, Payloads>();

  constructor(client: Client) {
    this.#client = client;
  }

  async read(event: HistoryEvent): Promise<SessionStep | undefined> {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) {
      const [input, carried] = await this.#decoded(started.input);
      return { kind: 'begun', input: input ?? {}, carried: carried as CarriedSession | undefined };
    }
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (child?.workflowType?.name === TURN_WORKFLOW && child.workflowId)
      return { kind: 'turn_begun', turnId: child.workflowId };
    if (event.startChildWorkflowExecutionFailedEventAttributes) return { kind: 'turn_refused' };
    const signaled = event.workflowExecutionSignaledEventAttributes;
    if (signaled?.signalName === SET_LIMITS) return await this.#limits(signaled.input);
    return (await this.#activity(event)) ?? (await this.#update(event));
  }

  async #activity(event: HistoryEvent): Promise<SessionStep | undefined> {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const { activityType, input: given } = scheduled ?? {};
    if (scheduled)
      this.#activities.set(String(event.eventId), { type: activityType?.name ?? '', input: given });
    // The session has not waited for it.
    const canceled = event.activityTaskCancelRequestedEventAttributes;
    if (canceled) this.#activities.delete(String(canceled.scheduledEventId));
    const done = event.activityTaskCompletedEventAttributes;
    if (!done) return undefined;
    const { type, input } = this.#activities.get(String(done.scheduledEventId)) ?? {};
    if (type === COLLECT_TURN) return { kind: 'collected', turn: await this.#first(done.result) };
    if (type === COMPACT_SESSION) return { kind: 'compacted', made: await this.#first(done.result) };
    if (type !== CUT_TRANSCRIPT) return undefined;
    const { keep } = await this.#first<CutTranscriptInput>(input);
    return { kind: 'cut', keep, made: await this.#first(done.result) };
  }

  async #update(event: HistoryEvent): Promise<SessionStep | undefined> {
    const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
    const { name, args } = accepted?.acceptedRequest?.input ?? {};
    if (name === SET_LIMITS) return await this.#limits(args);
    if (name === ROLLBACK && accepted?.protocolInstanceId)
      this.#rollbacks.set(accepted.protocolInstanceId, args);
    const completed = event.workflowExecutionUpdateCompletedEventAttributes;
    const asked = this.#rollbacks.get(completed?.meta?.updateId ?? '');
    if (!completed?.outcome?.success || !asked) return undefined;
    const { keep } = await this.#first<CutRequest>(asked);
    return { kind: 'rolled_back', keep, receipt: await this.#first(completed.outcome.success) };
  }

  async #limits(payloads: Payloads): Promise<SessionStep> {
    return { kind: 'limits_asked', request: await this.#first(payloads) };
  }

  async #first<Value>(payloads: Payloads): Promise<Value> {
    const [value] = await this.#decoded(payloads);
    return value as Value;
  }

  async #decoded(payloads: Payloads): Promise<(object | undefined)[]> {
    const converter = this.#client.options.loadedDataConverter;
    return (await decodePayloads(converter, payloads?.payloads)) as (object | undefined)[];
  }
}
