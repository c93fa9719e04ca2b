// A tool in another language: its activity is in worker.py, on a task queue of its own.
import { defineAgent, remoteTool } from 'holdfast';
import { text, toolCall } from 'holdfast/testing';
import { z } from 'zod';
import { modelOr } from '../model.js';
import { serve } from '../serve.js';
import { startPythonWorker } from './start-python-worker.js';

const describeNumbers = remoteTool({
  name: 'describe_numbers',
  description: 'Mean, median and standard deviation of a list of numbers.',
  input: z.object({ numbers: z.array(z.number()) }),
  taskQueue: 'python-tools',
  timeout: '30 seconds',
  idempotent: true,
});

const analyst = defineAgent({
  name: 'analyst',
  instructions: 'You answer questions about numbers. Never calculate yourself.',
  model: modelOr([
    toolCall('describe_numbers', { numbers: [3, 5, 8, 13] }),
    toolCall('describe_numbers', { numbers: [21] }),
    text('The mean of the first list is 7.25; the second is too short.'),
  ]),
  tools: [describeNumbers],
});

const python = await startPythonWorker();
await serve(analyst, async (client) => {
  const turn = await client.start('analyst', 'What are the means of 3, 5, 8, 13 and of 21?');
  for await (const event of turn.events()) {
    if (event.type !== 'tool_finished') continue;
    const [block] = event.result.content;
    console.log(`${event.name}: ${block?.type === 'text' ? block.text : event.result.status}`);
  }
  console.log((await turn.result()).text);
});
await python.stop();
