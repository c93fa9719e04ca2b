import { defineAgent } from 'holdfast';
import { offlineModel } from './offline-model.js';
import { lookUpOrder } from './tools.js';

const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL } = process.env;

/** OpenAI, or any server that speaks its protocol: OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=qwen3 */
export const hasModel = Boolean(OPENAI_API_KEY || OPENAI_BASE_URL);

export const agent = defineAgent({
  name: '{{name}}',
  // Turns that run go on with the version that they began with. Change it with the instructions or the tools.
  version: '1',
  instructions: 'You help customers of a shop. Look orders up before you say anything about them.',
  model: hasModel ? OPENAI_MODEL || 'gpt-5.5' : offlineModel,
  tools: [lookUpOrder],
  limits: { iterations: 20 },
});
