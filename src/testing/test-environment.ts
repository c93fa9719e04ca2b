import { randomUUID } from 'node:crypto';
import { DefaultLogger, type NativeConnection, Runtime } from '@temporalio/worker';
import type { StartOptions } from '../client/agent-client.js';
import { AgentClient } from '../client/agent-client.js';
import type { TurnHandle } from '../client/turn-handle.js';
import type { Agent } from '../define/define-agent.js';
import { startTemporaryServer } from '../server/temporary-server.js';
import type { PromptPart } from '../shared/prompt-parts.js';
import { connectWorker } from '../worker/connect.js';
import { createWorker, type HoldfastWorker, type HoldfastWorkerOptions } from '../worker.js';

type Place = { address: string; connection: NativeConnection; client: AgentClient };

let place: Promise<Place> | undefined;

/** The server of `TEMPORAL_ADDRESS`, or one of this process's own, which ends with it. One for all tests. */
export async function testPlace(): Promise<Place> {
  place ??= openPlace();
  return await place;
}

async function openPlace(): Promise<Place> {
  installQuietRuntime();
  const address = process.env['TEMPORAL_ADDRESS'] ?? (await startTemporaryServer({ ui: false })).address;
  const { connection } = await connectWorker({ address });
  return { address, connection, client: await AgentClient.connect({ address }) };
}

/** A test's report is not the place for each state of each worker. A runtime that the test has installed stays. */
function installQuietRuntime(): void {
  if (Runtime._instance === undefined) Runtime.install({ logger: new DefaultLogger('WARN') });
}

export type RunningWorker<Output = unknown> = HoldfastWorker & {
  taskQueue: string;
  client: AgentClient;
  start: (prompt: string | readonly PromptPart[], options?: StartOptions) => Promise<TurnHandle<Output>>;
};

/** Runs `use` beside a worker on a task queue of its own that serves the agent; ends the worker after it. */
export async function withWorker<Result, Output = unknown>(
  agent: Agent<Output>,
  use: (running: RunningWorker<Output>) => Promise<Result>,
  options: Partial<HoldfastWorkerOptions> = {},
): Promise<Result> {
  const { connection, client } = await testPlace();
  const taskQueue = options.taskQueue ?? `test-${randomUUID()}`;
  const made = await createWorker({ agents: [agent], connection, ...options, taskQueue });
  const start: RunningWorker<Output>['start'] = async (prompt, startOptions) =>
    (await client.start(agent.name, prompt, { taskQueue, ...startOptions })) as TurnHandle<Output>;
  return await made.worker.runUntil(() => use({ ...made, taskQueue, client, start }));
}
