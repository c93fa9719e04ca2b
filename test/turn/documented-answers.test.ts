import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { scriptedModel, testTurn, toolCall } from '../../src/testing/index.js';
import { textOfResult } from './agents.js';
import { analyst } from './documented-answers.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const asUsers = (code: string) =>
  code.replace('../../src/index.js', 'holdfast').replace('./documented-artifacts.js', './tools.js');

test('the examples of docs/artifacts.md and docs/final-answers.md are ones that run', async () => {
  expect(read('../../docs/artifacts.md')).toContain(
    `\`\`\`ts\n${asUsers(read('documented-artifacts.ts'))}\`\`\``,
  );
  expect(read('../../docs/final-answers.md')).toContain(
    `\`\`\`ts\n${asUsers(read('documented-answers.ts'))}\`\`\``,
  );
  const answer = { euros: 2100, chart: 'chart.svg' };
  const model = scriptedModel([
    toolCall('final_answer', { answer }),
    toolCall('sales', { year: 2026 }),
    toolCall('chart', { table: 'sales.csv' }),
    toolCall('final_answer', { answer }),
  ]);
  const { outcome, calls } = await testTurn(analyst, 'What did we sell?', { model });
  expect(outcome).toMatchObject({ type: 'completed', output: answer, iterations: 4 });
  const [refused, table, drawn] = calls.map(({ result }) => textOfResult(result));
  expect(refused).toBe(
    'Error: your answer was not accepted. The check lookedUp failed: You named a number without having called a tool.\nGo on, and then give your final answer again.',
  );
  expect(table).toBe('[Kept as sales.csv: text/csv, 37 bytes]\nmonth,euros\n2026-01,900\n2026-02,1200\n');
  expect(drawn).toContain('2 rows[Kept as chart.svg: image/svg+xml, ');
});
