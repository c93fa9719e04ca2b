import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Agent } from 'holdfast';
import type { AgentClient } from 'holdfast/client';
import { runWorkerUntil } from 'holdfast/worker';

Runtime.install({ logger: new DefaultLogger('WARN') });

/** Serves the agents while `use` starts turns of them. An example is one program; yours are two: a worker and a client. */
export async function serve(
  agent: Agent,
  use: (client: AgentClient) => Promise<void>,
  others: readonly Agent[] = [],
): Promise<void> {
  await runWorkerUntil({ agents: [agent, ...others], taskQueue: `example-${agent.name}` }, use);
}
