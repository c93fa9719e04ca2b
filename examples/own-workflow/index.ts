// A turn as a step of a workflow of one's own, on a Temporal worker of one's own, by the plugin.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { AgentClient } from 'holdfast/client';
import { holdfast } from 'holdfast/worker';
import { analyst } from './agent.js';
import * as activities from './mail.js';
import type { salesReport } from './workflows.js';

Runtime.install({ logger: new DefaultLogger('WARN') });
const address = process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
const taskQueue = 'example-sales';

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
  activities,
  plugins: [holdfast({ agents: [analyst] })],
});

const client = await AgentClient.connect({ address });
await worker.runUntil(async () => {
  const report = await client.client.workflow.start<typeof salesReport>('salesReport', {
    taskQueue,
    workflowId: randomUUID(),
    args: ['Monday'],
  });
  console.log(`report: ${await report.result()}`);
});
await client.close();
