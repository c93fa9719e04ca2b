import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Message, textContent } from '../../src/shared/messages.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { fault, replay, reply, text, toolCall, withWorker } from '../../src/testing/index.js';
import { agentWith, countedTool, gate, rolesOf } from './agents.js';
import { sharedWorker } from './shared-worker.js';
import {
  type Answer,
  compactionsOf,
  lastPage,
  pages,
  provider,
  readPage,
  summary,
  talk,
  WINDOW,
} from './small-window.js';

const pageTool = countedTool('read_page', { page: z.int(), bytes: z.int() }, ({ page, bytes }) =>
  `page ${page} `.padEnd(bytes, 'x'),
).tool;
const worker = sharedWorker([pageTool], {
  instructions: async () => 'Read.',
  compaction: { window: WINDOW },
  iterationsPerRun: 13,
});

describe('a turn with a small context window', () => {
  // FA-102
  test('goes through many compactions over several runs, and no request of it is ever too long', async () => {
    const { seen, model, server } = await provider(pages(60));
    const turn = await worker.start(model, 'Read it all.');
    const outcome = await turn.result();
    await replay(turn.turnId);
    expect(outcome).toMatchObject({ type: 'completed', text: 'read' });
    expect(server.refusals).toEqual([]);
    expect(seen.refused).toBe(0);
    expect(seen.summaries.length).toBeGreaterThan(3);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('Read it all.');
    expect(worker.transcripts.misses).toBe(0);

    // All of it stays readable, in the order in which it came.
    const whole = await turn.transcript();
    expect(transcriptProblems(whole)).toEqual([]);
    expect(lastPage(whole)).toBe(59);
    expect(whole.slice(1)).toEqual(outcome.messages);
    expect(whole.filter(({ role }) => role === 'assistant')).toHaveLength(outcome.iterations);

    const events = await compactionsOf(turn);
    expect(events.filter(({ method }) => method === 'summary')).toHaveLength(seen.summaries.length);
    expect(events.every(({ before, after }) => after < before)).toBe(true);
    expect(outcome.usage.modelCalls).toBe(outcome.iterations + seen.summaries.length);
    expect(outcome.steps.flatMap(({ compactions = [] }) => compactions)).toHaveLength(events.length);
    expect(outcome.summary?.covers).toMatchObject({ from: whole[1]?.id, to: expect.any(String) });
    expect((await turn.state()).context).toMatchObject({ window: WINDOW, compactions: events.length });
  });

  test('has old results cleared first, which the model can read again', async () => {
    let id: string | undefined;
    let again = '';
    const { seen, model, server } = await provider((messages) => {
      const last = messages.at(-1);
      if (id !== undefined) {
        again = JSON.stringify(last);
        return text('read');
      }
      [, id] = /"artifact\\*":\\*"([0-9a-f]+)/.exec(JSON.stringify(messages)) ?? [];
      if (id !== undefined) return toolCall('read_artifact', { artifact: id, limit: 100 });
      const next = lastPage(messages) + 1;
      return readPage(next, next === 0 ? 6000 : 900);
    });
    const turn = await worker.start(model);
    expect(await turn.result()).toMatchObject({ type: 'completed' });
    expect(again).toContain('page 0 xxx');
    expect(seen.summaries).toEqual([]);
    expect(server.refusals).toEqual([]);
    expect(await compactionsOf(turn)).toMatchObject([{ method: 'cleared', trigger: 'window', cleared: 1 }]);
  });

  test('is compacted before its first model call, where its opening is too long', async () => {
    const earlier = Array.from({ length: 20 }, (_, index): Message[] => [
      { role: 'user', id: `u${index}`, content: textContent(`u${index}`, `question ${index} `.repeat(40)) },
      { role: 'assistant', id: `a${index}`, content: textContent(`a${index}`, `page ${index}`) },
    ]).flat();
    const { seen, model } = await provider(() => text('done'));
    const turn = await worker.start(model, 'And now?', { transcript: earlier });
    const outcome = await turn.result();
    await replay(turn.turnId);
    expect(outcome).toMatchObject({ type: 'completed', text: 'done', iterations: 1 });
    expect([seen.refused, seen.sizes.length, seen.summaries.length]).toEqual([0, 1, 1]);
    expect(outcome.usage).toMatchObject({ modelCalls: 2, failedCalls: 0 });
    expect(rolesOf(outcome.messages)).toEqual(['user', 'assistant']);
    const whole = await turn.transcript();
    expect(whole[0]).toMatchObject({ role: 'system' });
    expect(whole.slice(1, -2).map((message) => message.id)).toEqual(earlier.map((message) => message.id));
  });

  // FA-105, MC-101
  test('goes on as it is where summaries fail, are empty or too long, and does not ask for one at each call', async () => {
    let asked = 0;
    const summarise: Answer = () => {
      asked += 1;
      if (asked <= 3) return fault({ status: 500, headers: { 'retry-after-ms': '10' } });
      return asked === 4 ? toolCall('read_page') : text('y'.repeat(24_000));
    };
    const { seen, model, server } = await provider(talk(16), { window: 20_000, summarise });
    const turn = await worker.start(model);
    const outcome = await turn.result();
    await replay(turn.turnId);
    expect(outcome).toMatchObject({ type: 'completed', iterations: 17 });
    expect(lastPage(await turn.transcript())).toBe(15);
    expect(Math.max(...seen.sizes)).toBeGreaterThan(1.3 * WINDOW);
    const events = await compactionsOf(turn);
    expect(events[0]?.problem).toMatch(/^Model\.Unavailable/);
    expect(events[1]?.problem).toBe('The summary was empty.');
    expect(events[2]?.problem).toBe('It did not get smaller by that.');
    expect(events.every(({ method, before, after }) => method === undefined && after === before)).toBe(true);
    expect(events.length).toBeLessThan(9);
    expect(outcome.usage.failedCalls).toBe(3);
    expect(server.refusals).toEqual([]);
  });

  test('ends at once where it is interrupted while a summary is written', async () => {
    const writing = gate();
    const summarise: Answer = () => {
      writing.open();
      return { ...reply(text('late')), delayMs: Number.POSITIVE_INFINITY };
    };
    const { model } = await provider(talk(30), { summarise });
    const turn = await worker.start(model);
    await writing.opened;
    expect((await turn.state()).context).toMatchObject({ compacting: true });
    await turn.interrupt('enough');
    const outcome = await turn.result();
    await replay(turn.turnId);
    expect(outcome).toMatchObject({ type: 'interrupted', intervention: { reason: 'enough' } });
    expect(outcome.usage.failedCalls).toBe(1);
    expect(transcriptProblems(outcome.messages)).toEqual([]);
    expect(outcome.messages.at(-1)?.role).toBe('tool');
  });

  test('is compacted where somebody asks for it', async () => {
    const held = gate();
    let asked = '';
    const reading: Answer = async (messages, request) => {
      if (lastPage(messages) === 4) await held.opened;
      return await pages(6)(messages, request);
    };
    const summarise: Answer = (messages, request) => {
      asked = JSON.stringify(messages);
      return summary(messages, request);
    };
    const { seen, model, server } = await provider(reading, { summarise });
    const turn = await worker.start(model);
    const { id } = await turn.compact({ focus: 'the number of the page' });
    held.open();
    expect(await turn.result()).toMatchObject({ type: 'completed' });
    await replay(turn.turnId);
    expect(await turn.receipt(id)).toMatchObject({ kind: 'compact', status: 'done' });
    expect(seen.summaries).toHaveLength(1);
    expect(asked).toContain('Above all keep: the number of the page');
    expect(server.refusals).toEqual([]);
    expect(await compactionsOf(turn)).toMatchObject([{ trigger: 'asked', method: 'summary' }]);
  });
});

test('a transcript that an earlier run has packed is compacted as any other', async () => {
  const reading: Answer = (messages) => {
    const next = lastPage(messages) + 1;
    return next < 6 ? readPage(next, 60_000) : text('read');
  };
  const { seen, model, server } = await provider(reading, { window: 80_000 });
  const agent = agentWith([pageTool], { model, compaction: { window: 80_000 }, iterationsPerRun: 3 });
  await withWorker(agent, async ({ start }) => {
    const turn = await start('Read.');
    const outcome = await turn.result();
    await replay(turn.turnId);
    expect(outcome).toMatchObject({ type: 'completed', text: 'read', iterations: 7 });
    expect(seen.refused).toBe(0);
    expect(server.refusals).toEqual([]);
    expect(await compactionsOf(turn)).toMatchObject([{ method: 'summary' }]);
    expect(lastPage(await turn.transcript())).toBe(5);
  });
});

describe('a turn whose provider says that it is too long', () => {
  test('is compacted, and the call made again', async () => {
    const { seen, model, server } = await provider(pages(16), { window: 2000 });
    const turn = await worker.start(model);
    const outcome = await turn.result();
    await replay(turn.turnId);
    expect(outcome).toMatchObject({ type: 'completed', text: 'read' });
    expect(lastPage(await turn.transcript())).toBe(15);
    expect(seen.refused).toBeGreaterThan(1);
    expect(server.refusals).toEqual([]);
    const events = await compactionsOf(turn);
    expect(events.every(({ trigger, method }) => trigger === 'too_long' && method)).toBe(true);
    expect(outcome.steps.some(({ attempts, compactions }) => attempts === 2 && compactions)).toBe(true);
  });

  test('fails with that, where nothing of it can be left out', async () => {
    const { seen, model } = await provider(() => text('never'), { window: 1000 });
    const turn = await worker.start(model, 'Read. '.repeat(2000));
    await expect(turn.result()).rejects.toMatchObject({ type: 'Model.ContextTooLong' });
    await replay(turn.turnId);
    expect(seen.refused).toBe(2);
  });
});
