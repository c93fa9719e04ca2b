import {
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { SessionNotFound } from '../../client/errors.js';
import type { JsonObject } from '../../shared/json.js';
import { SESSION_ID, SESSION_MEMO, SESSION_WORKFLOW, type SessionMemo } from '../../shared/session.js';
import type { Place } from '../open-client.js';
import { inputOf } from '../turns/turn-end.js';
import { UsageError } from '../usage-error.js';

/** More than can be told apart at a glance. */
const SHOWN_MATCHES = 5;

export const SESSIONS = `WorkflowType = '${SESSION_WORKFLOW}' AND ExecutionStatus != 'ContinuedAsNew'`;

/** The session of that id, or the only one whose id begins so. Throws a SessionNotFound where there is none. */
export async function findSession(place: Place, name: string): Promise<WorkflowExecutionDescription> {
  const found = await lookForSession(place, name);
  if (found) return found;
  throw new SessionNotFound(
    `There is no session ${name} in the namespace "${place.server.namespace}". List those that there are: holdfast sessions`,
  );
}

/** The same, or undefined where there is none. Throws a UsageError for what is no session or several. */
export async function lookForSession(
  place: Place,
  name: string,
): Promise<WorkflowExecutionDescription | undefined> {
  if (!SESSION_ID.test(name)) {
    throw new UsageError(
      `${JSON.stringify(name)} can't be the id of a session: use letters, digits and . _ : / -, 100 at most.`,
    );
  }
  const { workflow } = place.client.client;
  const described = await workflow
    .getHandle(name)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    });
  if (described?.type === SESSION_WORKFLOW) return described;
  if (described) throw new UsageError(`${name} is a workflow of the type ${described.type}, and no session.`);
  const matches = await idsThatBegin(place, name);
  const [first, ...others] = matches;
  if (first === undefined) return undefined;
  if (others.length === 0) return await workflow.getHandle(first).describe();
  const shown = matches.slice(0, SHOWN_MATCHES).map((id) => `\n  ${id}`);
  throw new UsageError(`Several sessions begin with ${name}. Give more of the id:${shown.join('')}`);
}

async function idsThatBegin({ client }: Place, prefix: string): Promise<string[]> {
  const ids = new Set<string>();
  const query = `${SESSIONS} AND WorkflowId STARTS_WITH '${prefix}'`;
  for await (const { workflowId } of client.client.workflow.list({ query, pageSize: 20 })) {
    ids.add(workflowId);
    if (ids.size > SHOWN_MATCHES) break;
  }
  return [...ids];
}

/** Title and metadata: of the memo, or what it was begun with where no worker has written that yet. */
export async function describedAs(
  { client }: Pick<Place, 'client'>,
  {
    workflowId,
    runId,
    status,
    memo,
  }: Pick<WorkflowExecutionInfo, 'workflowId' | 'runId' | 'status' | 'memo'>,
): Promise<{ title?: string; metadata?: JsonObject }> {
  const told = memo?.[SESSION_MEMO] as SessionMemo | undefined;
  if (told) return told;
  return (await inputOf(client.client, { workflowId, runId, status })) as {
    title?: string;
    metadata?: JsonObject;
  };
}
