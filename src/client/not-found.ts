/** gRPC's code. */
const NOT_FOUND = 5;

/**
 * Whether the server, or its client, says that there is no such thing: a workflow, or a run of one. Known by what it has,
 * not by its class: a worker that asks this needs none of the client's classes.
 */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // An error of gRPC has details, too: a DOMException may have the same code.
  const isAnswer = 'code' in error && 'details' in error;
  return error.name === 'WorkflowNotFoundError' || (isAnswer && error.code === NOT_FOUND);
}
