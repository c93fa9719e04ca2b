/** gRPC's code. */
const NOT_FOUND = 5;

/**
 * Whether the server, or its client, says that there is no such thing: a workflow, a run of one, a namespace. Known by what
 * it has, not by its class: a worker that asks this needs none of the client's classes.
 */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.name === 'WorkflowNotFoundError' || ('code' in error && error.code === NOT_FOUND);
}
