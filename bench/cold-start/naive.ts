// The same with the naive loop. Arguments: model URL, task queue, file of the bundled workflow.
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { INSTRUCTIONS, promptOf } from '../model/task.js';
import { naiveActivities } from '../naive/activities.js';
import type { naiveAgent } from '../naive/workflows.js';

const [modelUrl = '', taskQueue = randomUUID(), codePath = ''] = process.argv.slice(2);
const address = process.env['TEMPORAL_ADDRESS'] ?? 'localhost:7233';
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowBundle: { codePath },
  activities: naiveActivities(modelUrl),
});
const client = new Client({ connection: await Connection.connect({ address }) });
await worker.runUntil(async () => {
  await client.workflow.execute<typeof naiveAgent>('naiveAgent', {
    workflowId: randomUUID(),
    taskQueue,
    args: [INSTRUCTIONS, promptOf(0)],
  });
  process.send?.('ended');
});
process.exit(0);
