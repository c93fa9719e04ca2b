import type { LoadedDataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { CarriedTurn } from '../shared/carried.js';
import { FallbackIds, readSteer, STEER } from '../shared/interventions.js';
import { PEOPLE_MEMO, type PeopleMemo } from '../shared/people.js';
import type { RecordedStep } from '../shared/recorded-step.js';
import { SLEEP_MEMO, type SleepMemo } from '../shared/sleep.js';
import { TURN_WORKFLOW, type TurnOutcome } from '../shared/turn.js';
import { earlierMessages, openingAfter, type ReadSegment } from './carried-messages.js';
import { TurnNotFound } from './errors.js';
import { decodePayloads } from './payloads.js';
import { RecordedActivities, type UntimedStep } from './recorded-activities.js';
import { recordedInput } from './recorded-input.js';
import { recordedLocalTool } from './recorded-local.js';
import { RecordedSubAgents } from './recorded-sub-agents.js';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Reads a turn's event history, event by event and over all its runs, as the steps that the fold takes. */
export class RecordedSteps {
  readonly #converter: LoadedDataConverter;
  readonly #workflowId: string;
  readonly #activities: RecordedActivities;
  readonly #subAgents: RecordedSubAgents;
  readonly #readSegment: ReadSegment | undefined;
  #fallbackIds = new FallbackIds();
  #isFirst = true;

  /** `readSegment`: for whoever can read what turns have packed into an artifact store. */
  constructor(converter: LoadedDataConverter, workflowId: string, readSegment?: ReadSegment) {
    this.#converter = converter;
    this.#workflowId = workflowId;
    this.#readSegment = readSegment;
    this.#activities = new RecordedActivities(converter);
    this.#subAgents = new RecordedSubAgents(converter);
  }

  /**
   * The step that an event is, or undefined for one that says nothing of the turn. Throws a {@link TurnNotFound} where
   * the workflow is no turn.
   */
  async read(event: HistoryEvent): Promise<RecordedStep | undefined> {
    const at = isoTime(event.eventTime);
    const step =
      (await this.#started(event)) ??
      (await this.#activities.read(event)) ??
      (await recordedLocalTool(this.#converter, event)) ??
      (await this.#steer(event)) ??
      (await this.#subAgents.read(event)) ??
      (await this.#memo(event)) ??
      (await this.#closed(event));
    return step && { at, ...step };
  }

  async #started(event: HistoryEvent): Promise<UntimedStep | undefined> {
    const attributes = event.workflowExecutionStartedEventAttributes;
    if (!attributes) return undefined;
    this.#activities.runStarted();
    if (!this.#isFirst) return undefined;
    this.#isFirst = false;
    const type = attributes.workflowType?.name;
    if (type !== TURN_WORKFLOW) {
      throw new TurnNotFound(`${this.#workflowId} is a workflow of the type ${type}, and no turn.`);
    }
    const [raw, second] = await this.#decode(attributes.input?.payloads);
    // The turn refuses it from anybody but Temporal.
    const carried = attributes.continuedExecutionRunId ? (second as CarriedTurn | undefined) : undefined;
    this.#fallbackIds = new FallbackIds(carried?.interventions.fallbackIds);
    const input = recordedInput(raw);
    const firstRunId = attributes.firstExecutionRunId ?? '';
    const read = this.#readSegment;
    const opening = input.earlier && (await openingAfter(input.earlier, input, firstRunId, read));
    const earlier = carried ? await earlierMessages(carried.transcript, read) : opening;
    return {
      ...{ kind: 'started', turnId: this.#workflowId, firstRunId, input },
      ...(carried && { carried }),
      ...(earlier && { earlier }),
    };
  }

  /** A signal, or an update that was accepted. */
  async #steer(event: HistoryEvent): Promise<UntimedStep | undefined> {
    const signal = event.workflowExecutionSignaledEventAttributes;
    const update = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest?.input;
    if ((signal?.signalName ?? update?.name) !== STEER) return undefined;
    const [raw] = await this.#decode(signal?.input?.payloads ?? update?.args?.payloads);
    const steer = readSteer(raw, this.#fallbackIds.next(STEER, signal ? 'signal' : 'update'));
    return steer && { kind: 'steer', steer };
  }

  async #memo(event: HistoryEvent): Promise<UntimedStep | undefined> {
    const fields = event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields;
    const payload = fields?.[PEOPLE_MEMO] ?? fields?.[SLEEP_MEMO];
    if (!payload) return undefined;
    const [memo] = await this.#decode([payload]);
    if (fields?.[SLEEP_MEMO]) return { kind: 'sleep', memo: memo as SleepMemo };
    return { kind: 'people', memo: memo as PeopleMemo };
  }

  async #closed(event: HistoryEvent): Promise<UntimedStep | undefined> {
    const completed = event.workflowExecutionCompletedEventAttributes;
    if (completed) {
      const [outcome] = await this.#decode(completed.result?.payloads);
      const { type } = outcome as TurnOutcome;
      return { kind: 'closed', outcome: type };
    }
    if (event.workflowExecutionFailedEventAttributes) return { kind: 'closed', outcome: 'failed' };
    if (event.workflowExecutionCanceledEventAttributes) return { kind: 'closed', outcome: 'canceled' };
    if (event.workflowExecutionTerminatedEventAttributes) return { kind: 'closed', outcome: 'terminated' };
    if (event.workflowExecutionTimedOutEventAttributes) return { kind: 'closed', outcome: 'timed_out' };
    return undefined;
  }

  async #decode(payloads: Parameters<typeof decodePayloads>[1]): Promise<unknown[]> {
    return await decodePayloads(this.#converter, payloads);
  }
}

export function isoTime(time: HistoryEvent['eventTime']): string {
  return new Date(Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6).toISOString();
}
