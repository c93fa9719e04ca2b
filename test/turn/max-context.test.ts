import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { replay, type Script, text, toolCall, withWorker } from '../../src/testing/index.js';
import { agentWith, countedTool, rolesOf, servedModel } from './agents.js';

const pageTool = countedTool('read_page', { page: z.int() }, ({ page }) =>
  `page ${page} `.padEnd(4096, 'x'),
).tool;
/** Each reply asks for the page after the last one that the transcript shows. */
const readPage = (page: number) => toolCall('read_page', { page });
const pages = (count: number, ask = readPage): Script =>
  Array.from({ length: 30 }, (): Script[number] => (messages) => {
    const told = JSON.stringify(messages);
    const last = /page (\d+) (?!.*page \d+ )/.exec(told)?.[1];
    const page = last === undefined ? 0 : Number(last) + 1;
    return page < count * (told.includes('Go on.') ? 2 : 1) ? ask(page) : text('read');
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

  test('gives each call an id and a key of its own, over turns too, though its provider counts ids anew', async () => {
    const keys: string[] = [];
    const pay = countedTool('pay', { page: z.int() }, ({ page }, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      return `page ${page} `.padEnd(1000, 'x');
    }).tool;
    const { model } = await servedModel(pages(12, (page) => toolCall('pay', { page }, { id: 'call_0' })));
    const agent = agentWith([pay], { model, maxContextBytes: 4000, iterationsPerRun: 5 });
    await withWorker(agent, async ({ start }) => {
      const turn = await start('Pay.');
      expect(await turn.result()).toMatchObject({ type: 'completed', iterations: 13 });
      expect(new Set(keys).size).toBe(12);
      const earlier = await turn.transcript();
      expect(transcriptProblems(earlier)).toEqual([]);
      const next = await start('Go on.', { transcript: earlier });
      expect(await next.result()).toMatchObject({ type: 'completed', iterations: 13 });
      expect(transcriptProblems(await next.transcript())).toEqual([]);
    });
  });

  test('stays within it though what must stay is long', async () => {
    const { model, server } = await servedModel(pages(20));
    const agent = agentWith([pageTool], { model, maxContextBytes: 30_000, iterationsPerRun: 5 });
    await withWorker(agent, async ({ start }) => {
      const turn = await start('Read. '.repeat(25_000));
      expect(await turn.result()).toMatchObject({ type: 'completed', iterations: 21 });
      const sizes = server.requests.map(({ body }) => JSON.stringify(body.messages).length);
      expect(Math.max(...sizes)).toBeLessThan(200_000);
    });
  });
});
