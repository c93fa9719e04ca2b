import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { TurnNotFound } from '../../client/errors.js';
import { TURN_ID, TURN_WORKFLOW } from '../../shared/turn.js';
import type { Place } from '../open-client.js';
import { UsageError } from '../usage-error.js';

/** More than can be told apart at a glance. */
const SHOWN_MATCHES = 5;

/**
 * The turn of that id, or the only one whose id begins so, in its last run.
 * Throws a TurnNotFound, or a UsageError for what is no turn or several.
 */
export async function findTurn(place: Place, name: string): Promise<WorkflowExecutionDescription> {
  if (name === '') throw new UsageError('The turn id is empty. List those that there are: holdfast ps --all');
  const { workflow } = place.client.client;
  const described = await describe(place, name);
  if (described) {
    if (described.type === TURN_WORKFLOW) return described;
    throw new UsageError(`${name} is a workflow of the type ${described.type}, and no turn.`);
  }
  const matches = await idsThatBegin(place, name);
  const [first, ...others] = matches;
  if (first === undefined) {
    throw new TurnNotFound(
      `There is no turn ${name} in the namespace "${place.server.namespace}". List those that there are: holdfast ps --all`,
    );
  }
  if (others.length === 0) return await workflow.getHandle(first).describe();
  throw new UsageError(
    `Several turns begin with ${name}. Give more of the id:\n${matches
      .slice(0, SHOWN_MATCHES)
      .map((id) => `  ${id}`)
      .join('\n')}${matches.length > SHOWN_MATCHES ? '\n  …' : ''}`,
  );
}

async function describe(
  { client }: Place,
  workflowId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.client.workflow.getHandle(workflowId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** One more than are shown, at most. An id that no turn of ours has could end the query's text. */
async function idsThatBegin({ client }: Place, prefix: string): Promise<string[]> {
  if (!TURN_ID.test(prefix)) return [];
  const query = `WorkflowType = '${TURN_WORKFLOW}' AND WorkflowId STARTS_WITH '${prefix}'`;
  const ids = new Set<string>();
  for await (const { workflowId, parentExecution } of client.client.workflow.list({ query, pageSize: 20 })) {
    // A sub-agent of a turn whose id begins so, too.
    if (parentExecution?.workflowId?.startsWith(prefix)) continue;
    ids.add(workflowId);
    if (ids.size > SHOWN_MATCHES) break;
  }
  return [...ids];
}
