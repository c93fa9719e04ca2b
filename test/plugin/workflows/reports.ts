import {
  condition,
  defineSignal,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow';
import { type RunTurnOptions, runTurn } from 'holdfast/workflows';
import type { Analyst } from '../agents.js';

const { shout } = proxyActivities<{ shout(text: string): Promise<string> }>({
  startToCloseTimeout: '10 seconds',
});

/** Two activities of the same worker: the turn's, and one of its own. */
export async function report(prompt: string): Promise<string> {
  const outcome = await runTurn<Analyst>({ agent: 'analyst', prompt });
  return outcome.type === 'completed' ? await shout(outcome.output.title) : outcome.type;
}

export async function turn(options: RunTurnOptions) {
  return await runTurn(options);
}

export async function twoTurns(first: RunTurnOptions, second: RunTurnOptions) {
  return await Promise.all([runTurn(first), runTurn(second)]);
}

/** Its signals stay its own, and it may send some to its turn. */
export async function hurried(options: RunTurnOptions & { turnId: string }) {
  let hurry = false;
  setHandler(defineSignal('interrupt'), () => {
    hurry = true;
  });
  const running = runTurn(options);
  await condition(() => hurry);
  await getExternalWorkflowHandle(options.turnId).signal('interrupt', { v: 1, reason: 'hurry' });
  return await running;
}
