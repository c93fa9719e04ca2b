import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { decodePayloads } from '../../client/payloads.js';
import type { CarriedSession } from '../../shared/carried-session.js';
import type { SessionInput, SessionTurnEnd } from '../../shared/session.js';
import {
  COLLECT_TURN,
  COMPACT_SESSION,
  type CollectedTurn,
  type CompactedSession,
} from '../../shared/session-activities.js';
import { type CutReceipt, ROLLBACK } from '../../shared/session-requests.js';
import { TURN_WORKFLOW } from '../../shared/turn.js';
import { addUsage, joinUsage, noUsage, type TurnUsage } from '../../shared/usage.js';

/** What the event history of a session's last run tells of it. */
export type SessionFacts = {
  turns: number;
  usage: TurnUsage;
  messageCount: number;
  /** The workflow id of the turn that runs. */
  running?: string;
  lastOutcome?: SessionTurnEnd;
  /** ISO 8601, of its last event. */
  lastUsedAt: string;
};

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const PAGE_EVENTS = 500;

/** Read from Temporal, so that it needs no worker. */
export async function sessionFacts(
  client: Client,
  { workflowId, runId, startTime }: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'startTime'>,
): Promise<SessionFacts> {
  const fold = new FactsFold(client, startTime.toISOString());
  let token: Uint8Array | undefined;
  do {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: PAGE_EVENTS,
      ...(token && { nextPageToken: token }),
    });
    for (const event of page.history?.events ?? []) await fold.take(event);
    token = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (token);
  return fold.facts;
}

class FactsFold {
  facts: SessionFacts;
  readonly #client: Client;
  /** Types of scheduled activities. */
  readonly #activities = new Map<string, string>();
  /** Updates that take the session back. */
  readonly #rollbacks = new Set<string>();

  constructor(client: Client, lastUsedAt: string) {
    this.#client = client;
    this.facts = { turns: 0, usage: noUsage, messageCount: 0, lastUsedAt };
  }

  async take(event: HistoryEvent): Promise<void> {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started) await this.#begin(await this.#decoded(started.input?.payloads));
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled) this.#activities.set(String(event.eventId), scheduled.activityType?.name ?? '');
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (child?.workflowType?.name === TURN_WORKFLOW && child.workflowId)
      this.facts.running = child.workflowId;
    if (event.startChildWorkflowExecutionFailedEventAttributes) this.#over('not_started');
    const done = event.activityTaskCompletedEventAttributes;
    if (done) {
      const type = this.#activities.get(String(done.scheduledEventId));
      if (type === COLLECT_TURN) this.#collect(await this.#result<CollectedTurn>(done.result));
      if (type === COMPACT_SESSION) this.#compact(await this.#result<CompactedSession>(done.result));
    }
    await this.#takeUpdate(event);
    const { seconds, nanos } = event.eventTime ?? {};
    if (seconds)
      this.facts.lastUsedAt = new Date(Number(seconds) * 1000 + Number(nanos ?? 0) / 1e6).toISOString();
  }

  #collect(collected: CollectedTurn): void {
    if (!collected.ended) return;
    this.facts.usage = joinUsage(this.facts.usage, collected.usage);
    this.facts.messageCount = collected.base?.count ?? 0;
    this.#over(collected.outcome);
  }

  #compact({ record, spent }: CompactedSession): void {
    const used = record.usage ? addUsage(this.facts.usage, record.usage) : this.facts.usage;
    this.facts.usage = joinUsage(used, spent ?? noUsage);
  }

  async #takeUpdate(event: HistoryEvent): Promise<void> {
    const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
    if (accepted?.acceptedRequest?.input?.name === ROLLBACK && accepted.protocolInstanceId)
      this.#rollbacks.add(accepted.protocolInstanceId);
    const completed = event.workflowExecutionUpdateCompletedEventAttributes;
    if (!completed?.outcome?.success || !this.#rollbacks.has(completed.meta?.updateId ?? '')) return;
    const receipt = await this.#result<CutReceipt>(completed.outcome.success);
    this.facts.messageCount = receipt.messageCount;
  }

  async #result<Result>(payloads: temporal.api.common.v1.IPayloads | null | undefined): Promise<Result> {
    const [result] = await this.#decoded(payloads?.payloads);
    return result as Result;
  }

  #begin([input, carried]: unknown[]): void {
    const { earlier } = (input ?? {}) as Partial<SessionInput>;
    this.facts.messageCount = earlier?.count ?? 0;
    if (!carried) return;
    const { turnCount, usage, base, running, turns } = carried as CarriedSession;
    const last = turns.at(-1)?.outcome;
    this.facts = {
      ...this.facts,
      ...{ turns: turnCount, usage, messageCount: base?.count ?? 0 },
      ...(running && { running: running.turnId }),
      ...(last && { lastOutcome: last }),
    };
  }

  #over(outcome: SessionTurnEnd): void {
    const { running: _running, ...facts } = this.facts;
    this.facts = { ...facts, turns: facts.turns + 1, lastOutcome: outcome };
  }

  async #decoded(payloads: Parameters<typeof decodePayloads>[1]): Promise<unknown[]> {
    return await decodePayloads(this.#client.options.loadedDataConverter, payloads);
  }
}
