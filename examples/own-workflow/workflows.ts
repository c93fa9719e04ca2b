// Workflow code. Of agents it imports types only.
import { proxyActivities } from '@temporalio/workflow';
import { runTurn } from 'holdfast/workflows';
import type { analyst } from './agent.js';
import type * as activities from './mail.js';

const { sendMail } = proxyActivities<typeof activities>({ startToCloseTimeout: '1 minute' });

/** A turn is a step of it, like an activity. */
export async function salesReport(day: string): Promise<string> {
  const outcome = await runTurn<typeof analyst>({
    agent: 'analyst',
    prompt: `How were the sales on ${day}?`,
    limits: { iterations: 10 },
  });
  if (outcome.type !== 'completed') return `no report: ${outcome.type}`;
  await sendMail(outcome.output.headline);
  return outcome.output.headline;
}
