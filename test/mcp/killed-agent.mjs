// What `holdfast worker` serves in the test that kills it.
import { fileURLToPath } from 'node:url';
import { defineAgent, mcpServer } from '../../dist/index.js';
import { scriptedModel, text, toolCall } from '../../dist/testing/index.js';

const program = fileURLToPath(new URL('./odd-server.mjs', import.meta.url));
// It heeds neither the end of its input nor SIGTERM.
const env = { LOG: process.env.ODD_LOG, STUBBORN: '1' };

export const agent = defineAgent({
  name: 'mcp',
  instructions: 'Use the tools.',
  model: scriptedModel([toolCall('odd__hang'), toolCall('odd__echo', { text: 'after' }), text('done')]),
  tools: [mcpServer('odd', { command: process.execPath, args: [program], env })],
});
