import type { LoadedDataConverter } from '@temporalio/common';
import type { temporal } from '@temporalio/proto';
import type { RecordedStep } from '../shared/recorded-step.js';
import {
  endOfFailure,
  readTurnEnded,
  type SubAgentEnd,
  TURN_ENDED,
  turnEnded,
} from '../shared/sub-agents.js';
import type { TurnOutcome } from '../shared/turn.js';
import type { TurnInput } from '../shared/turn-input.js';
import { decodeFailure, decodePayloads } from './payloads.js';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Ended = Omit<Extract<RecordedStep, { kind: 'sub_agent_ended' }>, 'at'>;
type Step = Ended | Omit<Extract<RecordedStep, { kind: 'sub_agent_scheduled' }>, 'at'>;
type Child = { callId: string; maxResultBytes: number };

/** Reads the events of a turn's history that tell of its sub-agents. */
export class RecordedSubAgents {
  readonly #converter: LoadedDataConverter;
  /** By the workflow id of the sub-agent's turn. */
  readonly #children = new Map<string, Child>();

  constructor(converter: LoadedDataConverter) {
    this.#converter = converter;
  }

  async read(event: HistoryEvent): Promise<Step | undefined> {
    return (await this.#scheduled(event)) ?? (await this.#signal(event)) ?? (await this.#ended(event));
  }

  async #scheduled(event: HistoryEvent): Promise<Step | undefined> {
    const attributes = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (!attributes?.workflowId) return undefined;
    const [input] = await decodePayloads(this.#converter, attributes.input?.payloads);
    const { parent } = input as TurnInput;
    if (!parent) return undefined;
    const { callId, maxResultBytes } = parent;
    this.#children.set(attributes.workflowId, { callId, maxResultBytes });
    return { kind: 'sub_agent_scheduled', callId, turnId: attributes.workflowId };
  }

  async #signal(event: HistoryEvent): Promise<Step | undefined> {
    const signal = event.workflowExecutionSignaledEventAttributes;
    if (signal?.signalName !== TURN_ENDED) return undefined;
    const [raw] = await decodePayloads(this.#converter, signal.input?.payloads);
    const ended = readTurnEnded(raw);
    return ended && this.#step(ended.turnId, () => ({ kind: 'ended', ended }));
  }

  async #ended(event: HistoryEvent): Promise<Step | undefined> {
    const completed = event.childWorkflowExecutionCompletedEventAttributes;
    if (completed) {
      const [outcome] = await decodePayloads(this.#converter, completed.result?.payloads);
      return this.#step(completed.workflowExecution?.workflowId, ({ maxResultBytes }, turnId) => ({
        kind: 'ended',
        ended: turnEnded(turnId, outcome as TurnOutcome, maxResultBytes),
      }));
    }
    const failed = event.childWorkflowExecutionFailedEventAttributes;
    if (failed) {
      const failure = failed.failure ? await decodeFailure(this.#converter, failed.failure) : undefined;
      const { type, details } = failure?.applicationFailureInfo ?? {};
      const [detail] = await decodePayloads(this.#converter, details?.payloads);
      const told = { type: type ?? 'Turn.Failed', message: failure?.message ?? '' };
      return this.#step(failed.workflowExecution?.workflowId, ({ maxResultBytes }, turnId) =>
        endOfFailure(turnId, told, detail, maxResultBytes),
      );
    }
    return this.#endedFromOutside(event);
  }

  #endedFromOutside(event: HistoryEvent): Step | undefined {
    const refused = event.startChildWorkflowExecutionFailedEventAttributes;
    const text = 'a turn of its id was started before.';
    if (refused) return this.#step(refused.workflowId, () => ({ kind: 'not_started', text }));
    const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
    const timedOut = event.childWorkflowExecutionTimedOutEventAttributes;
    const canceled = event.childWorkflowExecutionCanceledEventAttributes;
    const { workflowExecution } = terminated ?? timedOut ?? canceled ?? {};
    const kind = terminated ? 'terminated' : timedOut ? 'timed_out' : 'canceled';
    return this.#step(workflowExecution?.workflowId, () => ({ kind }));
  }

  #step(
    turnId: string | null | undefined,
    end: (child: Child, turnId: string) => SubAgentEnd,
  ): Ended | undefined {
    const child = turnId ? this.#children.get(turnId) : undefined;
    if (!turnId || !child) return undefined;
    return { kind: 'sub_agent_ended', callId: child.callId, turnId, end: end(child, turnId) };
  }
}
