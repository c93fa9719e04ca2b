// An agent that reads and writes files in one folder, and runs commands there.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent } from 'holdfast';
import { text, toolCall } from 'holdfast/testing';
import { codingTools } from 'holdfast/tools';
import { modelOr } from './model.js';
import { serve } from './serve.js';

// The folder of your choice, or an empty one.
const root = process.argv[2] ?? (await mkdtemp(join(tmpdir(), 'holdfast-example-')));

const coder = defineAgent({
  name: 'coder',
  instructions: 'You write small programs in the present folder, and run them before you say that they work.',
  model: modelOr([
    toolCall('write_file', { path: 'sum.js', content: 'console.log(1 + 2 + 3);\n' }),
    toolCall('bash', { command: 'node sum.js' }),
    text('sum.js prints 6.'),
  ]),
  tools: codingTools({ root }),
  limits: { iterations: 20 },
});

await serve(coder, async (client) => {
  const turn = await client.start('coder', 'Write sum.js, which prints the sum of 1, 2 and 3, and run it.');
  for await (const event of turn.events()) {
    if (event.type === 'tool_started') console.log(event.summary);
    if (event.type === 'tool_finished') console.log(`  ${event.result.status}`);
  }
  console.log((await turn.result()).text);
  console.log(`in ${root}`);
});
