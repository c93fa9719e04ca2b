import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { ReadTurn, TurnLeft } from '../activities/services.js';
import type { ReadSegment } from '../client/carried-messages.js';
import { historyPages } from '../client/history-pages.js';
import { isNotFound } from '../client/not-found.js';
import { decodeFailure, decodePayloads } from '../client/payloads.js';
import { RecordedSteps } from '../client/recorded-steps.js';
import { CompactedView } from '../shared/compaction/compacted-view.js';
import type { TurnEvent } from '../shared/events.js';
import { TurnFold } from '../shared/fold.js';
import type { TurnOutcome } from '../shared/turn.js';
import { addUsage, noUsage, type TurnUsage } from '../shared/usage.js';
import { wireId, wireText } from '../shared/wire-text.js';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type Closing = { outcome?: TurnOutcome; failure?: { type: string; message: string } };

/** What a turn that has ended leaves, however it ended, from its event history alone. */
export const readTurn: ReadTurn = async (client, turnId, readSegment) => {
  try {
    const { status } = await client.workflow.getHandle(turnId).describe();
    if (status.name === 'RUNNING' || status.name === 'CONTINUED_AS_NEW') return 'running';
    return await readEnded(client, turnId, readSegment);
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    throw error;
  }
};

async function readEnded(
  client: Client,
  turnId: string,
  readSegment: ReadSegment,
): Promise<TurnLeft | 'running'> {
  const fold = new TurnFold();
  const steps = new RecordedSteps(client.options.loadedDataConverter, turnId, readSegment);
  const events: TurnEvent[] = [];
  const view = new CompactedView();
  let closing: Closing = {};
  for await (const page of historyPages(client, turnId)) {
    for (const event of page) {
      const step = await steps.read(event);
      if (step) events.push(...fold.apply(step));
      if (step?.kind === 'compaction_ended' && step.end.made) view.apply(fold.messages, step.end.made);
      if (fold.closed) closing = await closingOf(client, event);
    }
  }
  const last = events.at(-1);
  // It was started anew since (a reset): then it runs.
  if (last?.type !== 'turn_ended') return 'running';
  const { outcome, failure } = closing;
  const { delivered, undelivered } = fold.sent;
  const compacted = view.of(fold.messages);
  return {
    outcome: last.outcome,
    ...(failure && { failure }),
    messages: fold.messages.slice(fold.deltaFrom),
    ...(compacted && { compacted }),
    ...(events.some(isAsked) && { asked: true as const }),
    usage: outcome?.usage ?? usageIn(events),
    always: [...new Set(events.flatMap(alwaysIn))],
    delivered,
    undelivered: outcome ? (outcome.undelivered ?? []) : undelivered,
  };
}

async function closingOf(client: Client, event: HistoryEvent): Promise<Closing> {
  const { loadedDataConverter: converter } = client.options;
  const completed = event.workflowExecutionCompletedEventAttributes;
  if (completed) {
    const [outcome] = await decodePayloads(converter, completed.result?.payloads);
    return { outcome: outcome as TurnOutcome };
  }
  const { failure: given } = event.workflowExecutionFailedEventAttributes ?? {};
  if (!given) return {};
  const { message, applicationFailureInfo: application } = await decodeFailure(converter, given);
  const [outcome] = await decodePayloads(converter, application?.details?.payloads);
  const failure = { type: wireId(application?.type ?? 'Turn.Failed'), message: wireText(message ?? '', 500) };
  return { failure, ...(isOutcome(outcome) && { outcome }) };
}

function isOutcome(value: unknown): value is TurnOutcome {
  return typeof value === 'object' && value !== null && 'usage' in value;
}

/** Of a turn that could not tell: what its replies have cost; failed tries are not in it. */
function usageIn(events: readonly TurnEvent[]): TurnUsage {
  return events.reduce(
    (sum, event) => (event.type === 'message' && event.message.stopReason ? addUsage(sum, event.usage) : sum),
    noUsage,
  );
}

/** A compaction that somebody has asked for. */
function isAsked(event: TurnEvent): boolean {
  return event.type === 'compaction' && event.trigger === 'asked';
}

function alwaysIn(event: TurnEvent): readonly string[] {
  if (event.type !== 'decided' || event.decision.kind !== 'approved') return [];
  return event.decision.always ?? [];
}
