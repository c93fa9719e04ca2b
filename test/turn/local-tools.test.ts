import { expect, test } from 'vitest';
import { retryable } from '../../src/define/retryable.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { endedTurn } from '../interventions/ended-turn.js';
import { activityTypes } from './activity-types.js';
import { aborted, countedTool, gate, textOfResult } from './agents.js';

const local = { idempotent: true, execution: 'local' } as const;

test('a local tool runs within the workflow task, unless a person is asked or it wants to be tried again', async () => {
  const quick = countedTool('quick', {}, () => 'done', local);
  const plain = countedTool('plain', {}, () => 'as well');
  const fails = countedTool('fails', {}, () => Promise.reject(new Error('no')), local);
  const asked = countedTool('asked', {}, () => 'approved', { ...local, approval: 'ask' });
  let tries = 0;
  const later = countedTool(
    'later',
    {},
    () => {
      tries += 1;
      if (tries === 1) throw retryable(new Error('not yet'));
      return `try ${tries}`;
    },
    local,
  );
  let types: string[] = [];
  const { results, events, outcome } = await endedTurn(
    {
      script: [
        reply(toolCall('quick'), toolCall('plain'), toolCall('fails'), toolCall('later'), toolCall('quick')),
        toolCall('quick'),
        toolCall('asked'),
        text('ok'),
      ],
      tools: [quick.tool, plain.tool, fails.tool, asked.tool, later.tool],
    },
    async ({ turn, client }) => {
      for await (const event of turn.events())
        if (event.type === 'approval_requested') await turn.approve(event.callId);
      types = await activityTypes(client.client, turn.turnId);
    },
  );
  const texts = ['done', 'as well', 'Error: no', 'try 2', 'done', 'done', 'approved'];
  expect(results.map(textOfResult)).toEqual(texts);
  expect(types.filter((type) => !type.startsWith('holdfast.'))).toEqual(['plain', 'later', 'asked']);
  expect(events.filter(({ type }) => type === 'tool_started')).toHaveLength(texts.length);
  expect(outcome?.steps[1]?.calls).toMatchObject([
    { name: 'quick', status: 'ok', startedAt: expect.any(String), durationMs: expect.any(Number) },
  ]);
});

test('the try within the workflow task is one of those that a tool has', async () => {
  const seen: number[] = [];
  const fails = countedTool(
    'fails',
    {},
    (_args, { attempt }) => {
      seen.push(attempt);
      return Promise.reject(new Error(`no ${attempt}`));
    },
    { ...local, retry: { attempts: 3, initialInterval: 10 } },
  );
  const { results, outcome } = await endedTurn(
    { script: [toolCall('fails'), text('ok')], tools: [fails.tool] },
    async () => undefined,
  );
  expect(seen).toEqual([1, 2, 3]);
  expect(results.map(textOfResult)).toEqual(['Error: no 3']);
  expect(outcome?.steps[0]?.calls).toMatchObject([{ attempts: 3 }]);
});

test('a local tool that takes longer than its timeout is an error result; an interrupt waits for that long', async () => {
  const begun = gate();
  const slow = countedTool(
    'slow',
    {},
    async (_args, { signal }) => {
      begun.open();
      await aborted(signal);
      await new Promise(() => undefined);
    },
    { ...local, timeout: '500 milliseconds' },
  );
  const { results, outcome } = await endedTurn(
    {
      script: [toolCall('slow'), { ...reply(text('late')), delayMs: Number.POSITIVE_INFINITY }],
      tools: [slow.tool],
    },
    async ({ turn }) => {
      await begun.opened;
      await turn.interrupt('enough');
    },
  );
  expect(results).toMatchObject([{ status: 'error', cause: 'timed_out' }]);
  expect(textOfResult(results[0])).toContain('slow took longer than 0.5 s');
  expect(slow.runs).toHaveLength(1);
  expect(outcome).toMatchObject({ type: 'interrupted', iterations: 1 });
});
