import { defineAgent, mcpServer } from '../../src/index.js';

export const librarian = defineAgent({
  name: 'librarian',
  instructions: 'Answer from the documents.',
  model: 'gpt-5.5',
  tools: [mcpServer('docs', { command: 'npx', args: ['@modelcontextprotocol/server-filesystem', '.'] })],
});
