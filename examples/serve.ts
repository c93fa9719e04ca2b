import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Agent } from 'holdfast';
import { AgentClient } from 'holdfast/client';
import { createWorker } from 'holdfast/worker';

Runtime.install({ logger: new DefaultLogger('WARN') });

/** Serves the agents while `use` starts turns of them. An example is one program; yours are two: a worker and a client. */
export async function serve(
  agent: Agent,
  use: (client: AgentClient) => Promise<void>,
  others: readonly Agent[] = [],
): Promise<void> {
  const taskQueue = `example-${agent.name}`;
  const client = await AgentClient.connect({ taskQueue });
  const { worker } = await createWorker({ agents: [agent, ...others], taskQueue });
  await worker.runUntil(() => use(client));
  await client.close();
}
