import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { BundleOptions, WorkerOptions } from '@temporalio/worker';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import type { AgentClient } from '../../src/client.js';
import type { Agent } from '../../src/index.js';
import { testPlace } from '../../src/testing/test-environment.js';
import { holdfast } from '../../src/worker.js';

export function workflowFile(name: string): string {
  return fileURLToPath(new URL(`./workflows/${name}`, import.meta.url));
}

export async function bundled(name: string, options: Partial<BundleOptions> = {}) {
  const plugins = [holdfast({ agents: [] })];
  const logger = new DefaultLogger('ERROR');
  return await bundleWorkflowCode({ workflowsPath: workflowFile(name), logger, plugins, ...options });
}

export type OwnWorker = {
  client: AgentClient;
  taskQueue: string;
  /** Starts a workflow of one's own. */
  start(workflow: string, ...args: unknown[]): ReturnType<AgentClient['client']['workflow']['start']>;
};

/** A Temporal worker as anybody makes one, which has turns by the plugin. */
export async function ownWorker(agents: readonly Agent[], options: Partial<WorkerOptions> = {}) {
  const { connection } = await testPlace();
  const taskQueue = `test-${randomUUID()}`;
  return await Worker.create({ connection, taskQueue, plugins: [holdfast({ agents })], ...options });
}

/** Runs `use` beside one, and ends it. */
export async function withOwnWorker<Result>(
  agents: readonly Agent[],
  options: Partial<WorkerOptions>,
  use: (running: OwnWorker) => Promise<Result>,
): Promise<Result> {
  const worker = await ownWorker(agents, options);
  const { client } = await testPlace();
  const { taskQueue } = worker.options;
  const start: OwnWorker['start'] = (workflow, ...args) =>
    client.client.workflow.start(workflow, { taskQueue, workflowId: randomUUID(), args });
  return await worker.runUntil(() => use({ client, taskQueue, start }));
}
