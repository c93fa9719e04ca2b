import type { WorkflowExecutionInfo } from '@temporalio/client';
import type { JsonObject } from '../../shared/json.js';
import type { Place } from '../open-client.js';
import { describedAs, SESSIONS } from './find-session.js';
import { type SessionFacts, sessionFacts } from './session-facts.js';

export type ListedSession = SessionFacts & {
  sessionId: string;
  title?: string;
  metadata?: JsonObject;
  status: 'running' | 'idle' | 'ended';
  startedAt: string;
  taskQueue: string;
};

const AT_ONCE = 8;

/** Those that go on, and with `all` those that have ended: the latest used first. `more`: there are more than these. */
export async function listSessions(
  place: Place,
  { all = false, limit }: { all?: boolean; limit: number },
): Promise<{ sessions: ListedSession[]; more: boolean }> {
  const query = all ? SESSIONS : `${SESSIONS} AND ExecutionStatus = 'Running'`;
  const found: WorkflowExecutionInfo[] = [];
  for await (const execution of place.client.client.workflow.list({ query, pageSize: 100 })) {
    found.push(execution);
    if (found.length > limit) break;
  }
  const sessions: ListedSession[] = [];
  for (let from = 0; from < Math.min(found.length, limit); from += AT_ONCE) {
    const some = found.slice(from, Math.min(from + AT_ONCE, limit));
    sessions.push(...(await Promise.all(some.map((execution) => listedSession(place, execution)))));
  }
  sessions.sort((one, other) => other.lastUsedAt.localeCompare(one.lastUsedAt));
  return { sessions, more: found.length > limit };
}

export async function listedSession(
  place: Place,
  execution: Omit<WorkflowExecutionInfo, 'raw'>,
): Promise<ListedSession> {
  const { workflowId, startTime, taskQueue, status } = execution;
  const [facts, { title, metadata }] = await Promise.all([
    sessionFacts(place.client.client, execution),
    describedAs(place, execution),
  ]);
  const doing = status.name !== 'RUNNING' ? 'ended' : facts.running === undefined ? 'idle' : 'running';
  return {
    sessionId: workflowId,
    ...(title !== undefined && { title }),
    ...(metadata && { metadata }),
    status: doing,
    startedAt: startTime.toISOString(),
    taskQueue,
    ...facts,
  };
}

/** As many are looked at for the last one. */
const LOOKED_AT = 50;

/** The id of the session that was used last, of those that were begun in a terminal: they say who answers. */
export async function latestChat(place: Place): Promise<string | undefined> {
  const { sessions } = await listSessions(place, { limit: LOOKED_AT });
  return sessions.find(({ metadata }) => typeof metadata?.['agent'] === 'string')?.sessionId;
}
