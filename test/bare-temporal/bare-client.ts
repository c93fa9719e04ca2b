import type { Client } from '@temporalio/client';

export async function askSupport(client: Client, question: string): Promise<string> {
  const turn = await client.workflow.start('holdfast.turn', {
    taskQueue: 'holdfast',
    workflowId: 'ticket-81',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    args: [{ v: 1, agent: 'support', prompt: question }],
  });
  await turn.signal('steer', { v: 1, id: 'm-1', message: 'Answer in one sentence.' });
  const { phase } = await turn.query<{ phase: string }>('state'); // model
  const reason = `closing time, in phase ${phase}`;
  const receipt = await turn.executeUpdate<{ status: string }, [object]>('stop', {
    args: [{ v: 1, reason }],
  });
  const outcome = (await turn.result()) as { type: string; text: string };
  return `${receipt.status}, ${outcome.type}`; // done, interrupted
}
