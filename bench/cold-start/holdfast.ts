// One process: connects, serves an agent, runs its first turn, says that it ended. Arguments: model URL, task queue.
import { randomUUID } from 'node:crypto';
import { AgentClient } from 'holdfast/client';
import { createWorker } from 'holdfast/worker';
import { readerAgent } from '../agent.js';
import { promptOf } from '../model/task.js';

const [modelUrl = '', taskQueue = randomUUID()] = process.argv.slice(2);
const [{ worker }, turn] = await Promise.all([
  createWorker({ agents: [readerAgent('reader', modelUrl, { idempotent: false })], taskQueue }),
  AgentClient.connect({ taskQueue }).then((client) => client.start('reader', promptOf(0))),
]);
await worker.runUntil(async () => {
  await turn.result();
  process.send?.('ended');
});
process.exit(0);
