import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Message } from '../../src/shared/messages.js';
import { fault, reasoning, reply, type Script, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { agentWith, countedTool, servedModel } from './agents.js';

const page = countedTool('read_page', { page: z.int() }, ({ page }) =>
  `page ${page} `.padEnd(2000, 'x'),
).tool;
const ROUNDS = 9;

/** What was called after each thought, as the provider sees it. */
function roundsIn(messages: readonly Message[]): { thought: string; page: unknown }[] {
  return messages.flatMap(({ role, content }) => {
    if (role !== 'assistant') return [];
    const thought = content.map((block) => (block.type === 'reasoning' ? block.text : '')).join('');
    return content.flatMap((block) =>
      block.type === 'tool_call'
        ? [{ thought, page: (JSON.parse(block.arguments) as { page: number }).page }]
        : [],
    );
  });
}

/** A provider that refuses a request in which a call lacks the thought that led to it. */
const strict: Script = Array.from({ length: 3 * ROUNDS }, (): Script[number] => (messages) => {
  const rounds = roundsIn(messages);
  const isBack = rounds.every(({ thought, page }) => thought === `I need page ${page}.`);
  if (!isBack)
    return fault({ status: 400, body: { error: { message: 'the reasoning must be passed back' } } });
  if (JSON.stringify(messages.at(-1)).includes('and now?')) return text('again');
  const next = 1 + Math.max(-1, ...rounds.map(({ page }) => Number(page)));
  if (next >= ROUNDS) return text('read');
  return reply(reasoning(`I need page ${next}.`), toolCall('read_page', { page: next }));
});

// O20: over rounds, new runs of the workflow, dropped rounds, and into the next turn
test.each([
  ['chat', undefined],
  ['responses', undefined],
  ['chat', 10_000],
  ['responses', 10_000],
] as const)(
  'reasoning goes back by %s with each call that is still sent (bound: %s)',
  async (api, maxContextBytes) => {
    const { server, model } = await servedModel(strict, { api });
    const bound = maxContextBytes === undefined ? {} : { maxContextBytes };
    const agent = agentWith([page], { model, iterationsPerRun: 3, ...bound });
    await withWorker(agent, async ({ start }) => {
      const first = await (await start('Read.')).result();
      expect(first).toMatchObject({ type: 'completed', text: 'read', iterations: ROUNDS + 1 });
      const transcript: Message[] = JSON.parse(JSON.stringify(first.messages));
      const second = await start('and now?', { transcript });
      expect(await second.result()).toMatchObject({ type: 'completed', text: 'again' });
    });
    expect(server.requests.length + server.responses.length).toBe(ROUNDS + 2);
    expect(server.refusals).toEqual([]);
  },
);
