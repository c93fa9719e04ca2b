// One process: connects, serves an agent, runs its first turn, says that it ended. Arguments: model URL, task queue.
import { randomUUID } from 'node:crypto';
import { runWorkerUntil } from 'holdfast/worker';
import { readerAgent } from '../agent.js';
import { promptOf } from '../model/task.js';

const [modelUrl = '', taskQueue = randomUUID()] = process.argv.slice(2);
const agents = [readerAgent('reader', modelUrl, { idempotent: false })];
await runWorkerUntil({ agents, taskQueue }, async (client) => {
  const turn = await client.start('reader', promptOf(0));
  await turn.result();
  process.send?.('ended');
});
process.exit(0);
