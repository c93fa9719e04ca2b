import { z } from 'zod';
import { artifact, artifactInput, defineTool } from '../../src/index.js';

export const sales = defineTool({
  name: 'sales',
  description: 'The sales of a year, a row a month.',
  input: z.object({ year: z.int() }),
  idempotent: true,
  run: ({ year }) => artifact({ name: 'sales.csv', data: `month,euros\n${year}-01,900\n${year}-02,1200\n` }),
});

export const chart = defineTool({
  name: 'chart',
  description: 'Draws a table.',
  input: z.object({ table: artifactInput() }),
  idempotent: true,
  async run({ table }) {
    const rows = (await table.text()).trim().split('\n').length - 1;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg"><title>${table.name}</title></svg>`;
    return [`${rows} rows`, artifact({ name: 'chart.svg', data: svg })];
  },
});
