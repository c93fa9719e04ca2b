import { workflowInfo } from '@temporalio/workflow';
import { type RunTurnOptions, runTurn } from 'holdfast/workflows';

/** Temporal calls it for every type that nothing else has the name of. */
export default async function anyType(options: RunTurnOptions) {
  if (workflowInfo().workflowType !== 'turn') throw new Error('It is called for types that are not its own.');
  return await runTurn(options);
}
