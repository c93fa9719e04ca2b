import { type Client, isGrpcServiceError, type WorkflowExecutionDescription } from '@temporalio/client';
import { STATE_QUERY, type TurnState } from '../../shared/turn.js';
import { addUsage, noUsage, type TurnUsage } from '../../shared/usage.js';
import { errorText } from '../../shared/wire-text.js';
import type { Place } from '../open-client.js';
import { turnLink } from '../web-ui.js';
import { type Poller, pollersOf } from './pollers.js';
import { type RecordedTurn, recordedTurn } from './recorded-turn.js';
import { endOf, type TurnEnd } from './turn-end.js';
import { type Awaited, awaitedBy } from './waiting.js';

/** All that `holdfast show` knows of a turn. */
export type TurnLook = Omit<RecordedTurn, 'messages' | 'deltaFrom' | 'pending'> &
  TurnEnd & {
    turnId: string;
    runId: string;
    taskQueue: string;
    messageCount: number;
    /** Of them those that the turn added. */
    deltaCount: number;
    historyEvents: number;
    usage: TurnUsage;
    /** Of a running turn. */
    waitsFor?: Awaited[];
    /** Of a running turn: those that poll its task queue. */
    pollers?: Poller[];
    /** Of a running turn: what a worker answered to the `state` query, or why none did. */
    state?: TurnState;
    notAnswered?: string;
    /** Calls that have no result yet. */
    pendingCalls: { id: string; name: string; status: string }[];
    webUi?: string;
  };

/** A worker that is alive answers in milliseconds; it may have to replay the turn first. */
const QUERY_MS = 3000;

/** Looks at the server, at the event history and, where the turn runs, asks a worker. */
export async function lookAt(place: Place, described: WorkflowExecutionDescription): Promise<TurnLook> {
  const { client } = place.client;
  const { workflowId, runId, taskQueue, historyLength, status, raw } = described;
  const isRunning = status.name === 'RUNNING';
  const [recorded, end, asked, pollers, waitsFor] = await Promise.all([
    recordedTurn(client, workflowId),
    endOf(client, described),
    isRunning ? askState(client, workflowId) : ({} as Pick<TurnLook, 'state' | 'notAnswered'>),
    isRunning ? pollersOf(client, taskQueue) : undefined,
    isRunning ? awaitedBy(raw, client.options.loadedDataConverter) : undefined,
  ]);
  const { messages, deltaFrom, pending, ...rest } = recorded;
  const { state } = asked;
  const webUi = turnLink(place.server, workflowId);
  return {
    turnId: workflowId,
    runId,
    taskQueue,
    ...rest,
    ...end,
    messageCount: messages.length,
    deltaCount: messages.length - deltaFrom,
    historyEvents: historyLength,
    usage: end.outcome?.usage ?? state?.usage ?? summed(recorded),
    ...(waitsFor && { waitsFor }),
    ...(pollers && { pollers }),
    ...asked,
    pendingCalls: state?.pendingCalls ?? pending.map(({ id, name }) => ({ id, name, status: 'pending' })),
    ...(webUi && { webUi }),
  };
}

async function askState(
  client: Client,
  workflowId: string,
): Promise<Pick<TurnLook, 'state' | 'notAnswered'>> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    const ask = () => handle.query<TurnState, []>(STATE_QUERY);
    return { state: await client.withDeadline(Date.now() + QUERY_MS, ask) };
  } catch (error) {
    return { notAnswered: whyNot(error) };
  }
}

function whyNot(error: unknown): string {
  const { cause } = error instanceof Error ? error : {};
  const isLate = [error, cause].some((each) => isGrpcServiceError(each) && [1, 4].includes(each.code));
  return isLate ? `no worker answered within ${QUERY_MS / 1000} s` : errorText(cause ?? error);
}

/** Without the tries that failed, of which the event history tells nothing before the end. */
function summed({ steps }: RecordedTurn): TurnUsage {
  return steps
    .filter(({ endedAt }) => endedAt !== undefined)
    .reduce((sum, { usage }) => addUsage(sum, usage), noUsage);
}
