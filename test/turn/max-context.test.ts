import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { replay, type Script, text, toolCall, withWorker } from '../../src/testing/index.js';
import { agentWith, countedTool, rolesOf, servedModel } from './agents.js';

const pageTool = countedTool('read_page', { page: z.int() }, ({ page }) =>
  `page ${page} `.padEnd(4096, 'x'),
).tool;
/** Each reply asks for the page after the last one that the transcript shows. */
const pages = (count: number): Script =>
  Array.from({ length: 30 }, (): Script[number] => (messages) => {
    const last = /page (\d+) (?!.*page \d+ )/.exec(JSON.stringify(messages))?.[1];
    const page = last === undefined ? 0 : Number(last) + 1;
    return page < count ? toolCall('read_page', { page }) : text('read');
  });

describe('an agent with a bound of its transcript', () => {
  test('is sent no more than that, over new runs too, and its whole transcript stays readable', async () => {
    const { model, server } = await servedModel(pages(20));
    const agent = agentWith([pageTool], { model, maxContextBytes: 30_000, iterationsPerRun: 7 });
    await withWorker(agent, async ({ start, transcripts }) => {
      const turn = await start('Read.');
      const outcome = await turn.result();
      await replay(turn.turnId);
      expect(outcome).toMatchObject({ type: 'completed', iterations: 21, messageCount: 42 });
      expect(rolesOf(outcome.messages).join(' ')).toBe(`user${' assistant tool'.repeat(20)} assistant`);
      const sizes = server.requests.map(({ body }) => JSON.stringify(body.messages).length);
      expect(Math.max(...sizes)).toBeLessThan(32_000);
      expect(Math.max(...sizes)).toBeGreaterThan(20_000);
      const last = JSON.stringify(server.requests.at(-1)?.body.messages);
      expect(last).toContain('Read.');
      expect(last).toContain('earlier steps of this work');
      expect(last).toContain('page 19 ');
      expect(last).not.toContain('page 2 ');
      expect(server.refusals).toEqual([]);
      expect(transcripts.misses).toBe(0);
    });
  });
});
