import { type Client, type WorkflowExecutionInfo, WorkflowNotFoundError } from '@temporalio/client';
import type { JsonObject } from '../../shared/json.js';
import { SESSION_WORKFLOW } from '../../shared/session.js';
import { TURN_WORKFLOW } from '../../shared/turn.js';
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

type Execution = Omit<WorkflowExecutionInfo, 'raw'>;

const AT_ONCE = 8;
const TURNS = `WorkflowType = '${TURN_WORKFLOW}' AND ExecutionStatus != 'ContinuedAsNew'`;
/** So many turns, for the sessions that were used last. */
const LOOKED_AT = 1000;

/** Those that go on, and with `all` those that have ended: the latest used first. `more`: there are more than these. */
export async function listSessions(
  place: Place,
  { all = false, limit }: { all?: boolean; limit: number },
): Promise<{ sessions: ListedSession[]; more: boolean }> {
  const found: Execution[] = [];
  for await (const execution of lastUsed(place.client.client, all)) {
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

/** First those whose turns run or ended last, as Temporal lists these, then those of which it knows no turn. */
export async function* lastUsed(client: Client, all: boolean): AsyncGenerator<Execution> {
  const { workflow } = client;
  const seen = new Set<string>();
  for await (const sessionIds of parentsOfTurns(client, seen)) {
    const described = await Promise.all(sessionIds.map((id) => describedSession(client, id)));
    for (const session of described) {
      if (session && (all || session.status.name === 'RUNNING')) yield session;
    }
  }
  const query = all ? SESSIONS : `${SESSIONS} AND ExecutionStatus = 'Running'`;
  for await (const execution of workflow.list({ query, pageSize: 100 })) {
    if (!seen.has(execution.workflowId)) yield execution;
  }
}

/** The workflow ids of those that have started the last turns, some at a time, each once: `seen` has them all. */
async function* parentsOfTurns({ workflow }: Client, seen: Set<string>): AsyncGenerator<string[]> {
  let turns = 0;
  let some: string[] = [];
  for await (const { parentExecution } of workflow.list({ query: TURNS, pageSize: 200 })) {
    if (++turns > LOOKED_AT) break;
    const id = parentExecution?.workflowId;
    if (!id || seen.has(id)) continue;
    seen.add(id);
    some.push(id);
    if (some.length < AT_ONCE) continue;
    yield some;
    some = [];
  }
  yield some;
}

/** Undefined where it is none, or Temporal has forgotten it. */
async function describedSession(client: Client, id: string): Promise<Execution | undefined> {
  try {
    const described = await client.workflow.getHandle(id).describe();
    return described.type === SESSION_WORKFLOW ? described : undefined;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

export async function listedSession(place: Place, execution: Execution): Promise<ListedSession> {
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
const LAST_ONES = 20;

/** The id of the session that was used last, of those that were begun in a terminal: they say who answers. */
export async function latestChat(place: Place): Promise<string | undefined> {
  const { sessions } = await listSessions(place, { limit: LAST_ONES });
  return sessions.find(({ metadata }) => typeof metadata?.['agent'] === 'string')?.sessionId;
}
