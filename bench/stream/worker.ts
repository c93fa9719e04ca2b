// The worker of the bench, in a process of its own, so that what it takes can be told from what others take. It answers
// each message with its CPU time so far, in ms. Arguments: Temporal's address, the model's base URL.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { defineAgent, openai } from 'holdfast';
import { createWorker } from 'holdfast/worker';

const [address = '', baseURL = ''] = process.argv.slice(2);
Runtime.install({ logger: new DefaultLogger('ERROR') });
const agent = defineAgent({
  name: 'speaker',
  instructions: 'Speak.',
  model: openai({ model: 'scripted', baseURL }),
});
const { worker } = await createWorker({ address, agents: [agent] });
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1000);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
await worker.run();
