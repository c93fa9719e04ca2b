import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { isNotFound } from '../../client/not-found.js';
import { shownPrompt } from '../../shared/prompt-parts.js';
import { TURN_WORKFLOW } from '../../shared/turn.js';
import { endOf, inputOf, type TurnStatus } from './turn-end.js';
import { type Awaited, answeredCalls, awaitedBy } from './waiting.js';

export type ListedTurn = {
  turnId: string;
  agent: string;
  prompt: string;
  status: TurnStatus;
  /** Model calls that have answered; absent where nothing tells. */
  iterations?: number;
  /** ISO 8601. */
  startedAt: string;
  endedAt?: string;
  taskQueue: string;
  /** Of a running one. */
  waitsFor?: Awaited[];
  failure?: { type: string; message: string };
};

export type ListOptions = {
  /** Also those that ended before `RECENT_HOURS`. */
  all?: boolean;
  agent?: string;
  limit: number;
};

/** A turn that went on in a new run is listed once, by its last run. */
export const TURNS = `WorkflowType = '${TURN_WORKFLOW}' AND ExecutionStatus != 'ContinuedAsNew'`;
export const RECENT_HOURS = 24;
/** Agents are in the turns' histories, which no query of the server reads: so many turns are looked at for one. */
const LOOKED_AT = 1000;
const AT_ONCE = 16;

/** Running turns first, then by their end. `more`: there are more than these, or not all were looked at. */
export async function listTurns(
  client: Client,
  { all = false, agent, limit }: ListOptions,
): Promise<{ turns: ListedTurn[]; more: boolean }> {
  const turns: ListedTurn[] = [];
  let lookedAt = 0;
  let batch: WorkflowExecutionInfo[] = [];
  const readBatch = async () => {
    const read = await Promise.all(batch.map((execution) => listed(client, execution)));
    batch = [];
    turns.push(...read.flatMap((turn) => (turn && [undefined, turn.agent].includes(agent) ? [turn] : [])));
  };
  for await (const execution of client.workflow.list({ query: queryFor(all), pageSize: 100 })) {
    if (turns.length > limit || lookedAt >= LOOKED_AT) break;
    lookedAt += 1;
    batch.push(execution);
    if (batch.length === AT_ONCE) await readBatch();
  }
  await readBatch();
  return { turns: turns.slice(0, limit), more: turns.length > limit || lookedAt >= LOOKED_AT };
}

/** The ids of the latest workflows of a query, and nothing else of them. */
export async function listIds(
  client: Client,
  query: string,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<string[]> {
  const ids = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query, pageSize: 200 })) {
    if (workflowId.startsWith(prefix)) ids.add(workflowId);
    if (ids.size >= limit) break;
  }
  return [...ids];
}

function queryFor(all: boolean): string {
  if (all) return TURNS;
  const since = new Date(Date.now() - RECENT_HOURS * 3_600_000).toISOString();
  return `${TURNS} AND (ExecutionStatus = 'Running' OR CloseTime > '${since}')`;
}

async function listed(client: Client, execution: WorkflowExecutionInfo): Promise<ListedTurn | undefined> {
  const { workflowId, runId, startTime, closeTime, taskQueue, status } = execution;
  const known = {
    turnId: workflowId,
    startedAt: startTime.toISOString(),
    ...(closeTime && { endedAt: closeTime.toISOString() }),
    taskQueue,
  };
  try {
    const [input, end, described] = await Promise.all([
      inputOf(client, execution),
      endOf(client, execution),
      closeTime ? undefined : client.workflow.getHandle(workflowId, runId).describe(),
    ]);
    const iterations = end.outcome?.iterations ?? (described && answeredCalls(described.raw));
    const waitsFor = described && (await awaitedBy(described.raw, client.options.loadedDataConverter));
    return {
      ...known,
      agent: String(end.outcome?.agent ?? input.agent ?? ''),
      prompt: typeof input.prompt === 'string' ? shownPrompt({ ...input, prompt: input.prompt }) : '',
      status: end.status,
      ...(iterations !== undefined && { iterations }),
      ...(waitsFor && { waitsFor }),
      ...(end.failure && { failure: end.failure }),
    };
  } catch (error) {
    // Its retention has ended since it was listed.
    if (isNotFound(error)) return undefined;
    if (!isUnreadable(error)) throw error;
    const { type, message } = { type: error.name, message: error.message };
    return { ...known, agent: '', prompt: '', status: roughly(status.name), failure: { type, message } };
  }
}

/** What our codec throws for payloads that this process has no key for. */
function isUnreadable(error: unknown): error is Error {
  return error instanceof Error && error.name.startsWith('Codec.');
}

/** Where the outcome can't be read. */
function roughly(name: WorkflowExecutionInfo['status']['name']): TurnStatus {
  const statuses = {
    CANCELLED: 'canceled',
    TERMINATED: 'terminated',
    TIMED_OUT: 'timed_out',
    FAILED: 'failed',
  } as const;
  if (name in statuses) return statuses[name as keyof typeof statuses];
  return name === 'COMPLETED' ? 'completed' : 'running';
}
