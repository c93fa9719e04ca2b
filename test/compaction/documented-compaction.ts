import { defineAgent } from '../../src/index.js';

export const reader = defineAgent({
  name: 'reader',
  instructions: 'You answer questions about long documents.',
  model: 'gpt-5.5',
  compaction: { at: 0.7, window: { 'gpt-5.5': 300_000 }, model: 'gpt-5-mini' },
});
