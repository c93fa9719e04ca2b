import type { Client } from '@temporalio/client';
import type { TurnEvent } from '../shared/events.js';
import { PEOPLE_MEMO, type PeopleMemo } from '../shared/people.js';
import { TURN_WORKFLOW } from '../shared/turn.js';
import { TurnNotFound } from './errors.js';
import { readHistory } from './read-history.js';
import { turnError } from './turn-error.js';

/** What a person is asked: an approval of a call, or a question. */
export type OpenRequest = Extract<TurnEvent, { type: 'approval_requested' | 'question_asked' }>;

/** A running turn that waits for people. */
export type WaitingTurn = {
  turnId: string;
  taskQueue: string;
  /** How many decisions it waits for. */
  count: number;
  /** As many of them as the list of workflows has room for. */
  waiting: PeopleMemo['waiting'];
};

/** From the list of workflows, so that no turn is asked and no worker is needed; a second old at most. */
export async function* waitingTurns(client: Client): AsyncGenerator<WaitingTurn, void, undefined> {
  const query = `WorkflowType = '${TURN_WORKFLOW}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId, taskQueue, memo } of client.workflow.list({ query })) {
    const { waiting = [], count = 0 } = (memo?.[PEOPLE_MEMO] ?? {}) as Partial<PeopleMemo>;
    if (count > 0) yield { turnId: workflowId, taskQueue, count, waiting };
  }
}

/** What nobody has decided yet, of the turn and then of the sub-agents that it runs, from the event histories. */
export async function openRequests(client: Client, workflowId: string): Promise<OpenRequest[]> {
  const open = new Map<string, OpenRequest>();
  const running = new Map<string, string>();
  const { closed } = await readHistory(client, workflowId, (event) => {
    if (event.type === 'approval_requested' || event.type === 'question_asked') open.set(event.callId, event);
    else if (event.type === 'decided' || event.type === 'tool_finished') open.delete(event.callId);
    if (event.type === 'tool_started' && event.subAgent) running.set(event.callId, event.subAgent.turnId);
    else if (event.type === 'tool_finished') running.delete(event.callId);
  });
  if (closed) return [];
  const below = [...running.values()].map((turnId) => requestsOf(client, turnId));
  return [...open.values(), ...(await Promise.all(below)).flat()];
}

/** None of a turn that is about to be started, or whose history is gone. */
async function requestsOf(client: Client, turnId: string): Promise<OpenRequest[]> {
  try {
    return await openRequests(client, turnId);
  } catch (error) {
    if (turnError(turnId, error) instanceof TurnNotFound) return [];
    throw error;
  }
}
