import type { Client } from '@temporalio/client';
import type { Message, TurnOutcome } from 'holdfast/client';
import { decodePayloads } from '../../dist/client/payloads.js';
import { readHistory } from '../../dist/client/read-history.js';
import type { PlannedTurn } from '../plan.js';
import {
  type ActivityLine,
  type Deed,
  type LedgerLine,
  type MemoryLine,
  type Refusal,
  readRecords,
  recordPaths,
} from '../records.js';
import { type HistoryEvent, readChain } from './chain.js';

export type ToolResult = Extract<Message, { role: 'tool' }>['content'][number];

/** How an activity ended, as an event of the history tells it. */
export type ActivityEnd = {
  activityId: string;
  type: string;
  /** Of a tool. */
  callId: string | undefined;
  kind: 'completed' | 'failed' | 'timed_out' | 'canceled';
  /** Of its event among all events of the turn. */
  place: number;
  at: number;
  /** Of a tool that completed: its result, as it was recorded. */
  result?: unknown;
};

/** All that the server knows of one turn. */
export type TurnEvidence = {
  turnId: string;
  planned: PlannedTurn;
  closed: 'completed' | 'canceled' | 'failed' | undefined;
  outcome: TurnOutcome | undefined;
  /** The whole transcript, and the index from which on it is the turn's own. */
  messages: readonly Message[];
  deltaFrom: number;
  /** The same, rebuilt from the history alone. */
  rebuilt: readonly Message[];
  /** Of all of its runs, in order. */
  events: readonly HistoryEvent[];
  runs: number;
  activityEnds: readonly ActivityEnd[];
};

/** What the processes of the run have written down. */
export type Records = {
  ledger: readonly LedgerLine[];
  activities: readonly ActivityLine[];
  deeds: readonly Deed[];
  refusals: readonly Refusal[];
  memory: readonly MemoryLine[];
};

export function loadRecords(folder: string): Records {
  const paths = recordPaths(folder);
  return {
    ledger: readRecords<LedgerLine>(paths.ledger),
    activities: readRecords<ActivityLine>(paths.activities),
    deeds: readRecords<Deed>(paths.deeds),
    refusals: readRecords<Refusal>(paths.refusals),
    memory: readRecords<MemoryLine>(paths.memory),
  };
}

/** Undefined for a turn that the server does not know. */
export async function loadTurn(client: Client, planned: PlannedTurn): Promise<TurnEvidence | undefined> {
  const { turnId } = planned;
  const runs = await readChain(client, turnId);
  if (!runs) return undefined;
  const events = runs.flat();
  const { messages: rebuilt, deltaFrom } = await readHistory(client, turnId);
  const { closed, outcome } = await readClose(client, events.at(-1));
  const messages = outcome?.messages ? [...rebuilt.slice(0, deltaFrom), ...outcome.messages] : rebuilt;
  return {
    ...{ turnId, planned, closed, outcome, messages, rebuilt, deltaFrom, events },
    runs: runs.length,
    activityEnds: await readActivityEnds(client, events),
  };
}

export function resultsOf(messages: readonly Message[]): ToolResult[] {
  return messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
}

export function msOf(time: HistoryEvent['eventTime']): number {
  return Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6;
}

async function readClose(
  client: Client,
  last: HistoryEvent | undefined,
): Promise<Pick<TurnEvidence, 'closed' | 'outcome'>> {
  const completed = last?.workflowExecutionCompletedEventAttributes;
  const failed = last?.workflowExecutionFailedEventAttributes;
  const payloads = completed?.result?.payloads ?? failed?.failure?.applicationFailureInfo?.details?.payloads;
  const [outcome] = await decodePayloads(client.options.loadedDataConverter, payloads);
  const canceled = last?.workflowExecutionCanceledEventAttributes ? 'canceled' : undefined;
  return {
    closed: completed ? 'completed' : failed ? 'failed' : canceled,
    outcome: outcome as TurnOutcome | undefined,
  };
}

async function readActivityEnds(client: Client, events: readonly HistoryEvent[]): Promise<ActivityEnd[]> {
  const decode = async (payloads: Parameters<typeof decodePayloads>[1]) =>
    (await decodePayloads(client.options.loadedDataConverter, payloads))[0];
  const scheduled = new Map<string, Pick<ActivityEnd, 'activityId' | 'type' | 'callId'>>();
  const ends: ActivityEnd[] = [];
  for (const [place, event] of events.entries()) {
    // The next run counts its events from 1 again; of a run's activities none outlives it.
    if (event.workflowExecutionStartedEventAttributes) scheduled.clear();
    const begins = event.activityTaskScheduledEventAttributes;
    if (begins) {
      const input = (await decode(begins.input?.payloads)) as { callId?: string };
      const [activityId, type] = [begins.activityId ?? '', begins.activityType?.name ?? ''];
      scheduled.set(String(event.eventId), { activityId, type, callId: input.callId });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const failed = event.activityTaskFailedEventAttributes;
    const timedOut = event.activityTaskTimedOutEventAttributes;
    const canceled = event.activityTaskCanceledEventAttributes;
    const of = scheduled.get(String((completed ?? failed ?? timedOut ?? canceled)?.scheduledEventId));
    if (!of) continue;
    const output = completed && ((await decode(completed.result?.payloads)) as { result?: unknown });
    ends.push({
      ...of,
      kind: completed ? 'completed' : failed ? 'failed' : timedOut ? 'timed_out' : 'canceled',
      place,
      at: msOf(event.eventTime),
      ...(output && { result: output.result }),
    });
  }
  return ends;
}
