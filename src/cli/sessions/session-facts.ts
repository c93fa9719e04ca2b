import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import type { CarriedSession } from '../../shared/carried-session.js';
import type { SessionInput, SessionTurnEnd } from '../../shared/session.js';
import type { CollectedTurn, CompactedSession } from '../../shared/session-activities.js';
import { addUsage, joinUsage, noUsage, type TurnUsage } from '../../shared/usage.js';
import { type SessionStep, sessionSteps } from './session-steps.js';

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

/** Read from Temporal, so that it needs no worker. */
export async function sessionFacts(
  client: Client,
  { workflowId, runId, startTime }: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'startTime'>,
): Promise<SessionFacts> {
  const fold = new FactsFold(startTime.toISOString());
  for await (const { at, step } of sessionSteps(client, { workflowId, runId })) {
    if (step) fold.take(step);
    fold.facts.lastUsedAt = at;
  }
  return fold.facts;
}

class FactsFold {
  facts: SessionFacts;

  constructor(lastUsedAt: string) {
    this.facts = { turns: 0, usage: noUsage, messageCount: 0, lastUsedAt };
  }

  take(step: SessionStep): void {
    switch (step.kind) {
      case 'begun':
        this.#begin(step.input, step.carried);
        break;
      case 'turn_begun':
        this.facts.running = step.turnId;
        break;
      case 'turn_refused':
        this.#over('not_started');
        break;
      case 'collected':
        this.#collect(step.turn);
        break;
      case 'compacted':
        this.#compact(step.made);
        break;
      case 'rolled_back':
        this.facts.messageCount = step.receipt.messageCount;
        break;
      case 'cut':
      case 'limits_asked':
        break;
      default:
        step satisfies never;
    }
  }

  #begin({ earlier }: Partial<SessionInput>, carried: CarriedSession | undefined): void {
    this.facts.messageCount = earlier?.count ?? 0;
    if (!carried) return;
    const { turnCount, usage, base, running, turns } = carried;
    const last = turns.at(-1)?.outcome;
    this.facts = {
      ...this.facts,
      ...{ turns: turnCount, usage, messageCount: base?.count ?? 0 },
      ...(running && { running: running.turnId }),
      ...(last && { lastOutcome: last }),
    };
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

  #over(outcome: SessionTurnEnd): void {
    const { running: _running, ...facts } = this.facts;
    this.facts = { ...facts, turns: facts.turns + 1, lastOutcome: outcome };
  }
}
