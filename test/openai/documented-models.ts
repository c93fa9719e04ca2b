import { defineAgent, fallback, openai } from '../../src/index.js';

const main = openai({ model: 'gpt-5.5', api: 'responses', reasoningEffort: 'medium' });
const local = openai({ model: 'qwen3', baseURL: 'http://localhost:11434/v1', maxConcurrent: 2 });
export const agent = defineAgent({
  name: 'helper',
  instructions: 'Be brief.',
  model: fallback([main, local]),
});
