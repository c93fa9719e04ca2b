import { defineAgent } from 'holdfast';

export const analyst = defineAgent({ name: 'analyst', instructions: 'Report.', model: 'gpt-5.5' });
