import { expect, test } from 'vitest';
import { retryable } from '../../src/define/define-tool.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { endedTurn, untilEvent } from '../interventions/ended-turn.js';
import { activityTypes } from './activity-types.js';
import { aborted, countedTool, gate, textOfResult } from './agents.js';

const local = { idempotent: true, execution: 'local' } as const;

test('a local tool runs within the workflow task: no activity of it is in the history', async () => {
  const quick = countedTool('quick', {}, () => 'done', local);
  const plain = countedTool('plain', {}, () => 'as well');
  let types: string[] = [];
  const { results, events, outcome } = await endedTurn(
    {
      script: [reply(toolCall('quick'), toolCall('plain'), toolCall('quick')), toolCall('quick'), text('ok')],
      tools: [quick.tool, plain.tool],
    },
    async ({ turn, client }) => {
      await turn.result();
      types = await activityTypes(client.client, turn.turnId);
    },
  );
  expect(results.map(textOfResult)).toEqual(['done', 'as well', 'done', 'done']);
  expect(types.filter((type) => !type.startsWith('holdfast.'))).toEqual(['plain']);
  expect(quick.runs).toHaveLength(3);
  const seen = events.filter(({ type }) => type === 'tool_started' || type === 'tool_finished');
  expect(seen.map(({ type }) => type)).toHaveLength(8);
  expect(outcome?.steps[1]?.calls).toMatchObject([
    { name: 'quick', status: 'ok', startedAt: expect.any(String), durationMs: expect.any(Number) },
  ]);
});

test('a local tool that takes longer than its timeout is an error result, and its signal fires', async () => {
  const stopped = gate();
  const slow = countedTool(
    'slow',
    {},
    async (_args, { signal }) => {
      await aborted(signal);
      stopped.open();
      await new Promise(() => undefined);
    },
    { ...local, timeout: '200 milliseconds' },
  );
  const { results, outcome } = await endedTurn(
    { script: [toolCall('slow'), text('I see')], tools: [slow.tool] },
    () => stopped.opened,
  );
  expect(results).toMatchObject([{ status: 'error', cause: 'timed_out' }]);
  expect(textOfResult(results[0])).toContain('slow took longer than 0.2 s');
  expect(outcome).toMatchObject({ type: 'completed', text: 'I see' });
  expect(slow.runs).toHaveLength(1);
});

test('a local tool that throws is an error result; one that asks for another try gets it as an activity', async () => {
  const fails = countedTool('fails', {}, () => Promise.reject(new Error('no')), local);
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
  const { results, events } = await endedTurn(
    { script: [reply(toolCall('fails'), toolCall('later')), text('ok')], tools: [fails.tool, later.tool] },
    async ({ turn, client }) => {
      await turn.result();
      types = await activityTypes(client.client, turn.turnId);
    },
  );
  expect(results).toMatchObject([{ status: 'error', cause: 'tool_threw' }, { status: 'ok' }]);
  expect(results.map(textOfResult)).toEqual(['Error: no', 'try 2']);
  expect(types.filter((type) => !type.startsWith('holdfast.'))).toEqual(['later']);
  expect(events.filter(({ type }) => type === 'tool_finished')).toHaveLength(2);
});

test('an interrupt waits for the local tool that runs, and ends the turn', async () => {
  const begun = gate();
  const slow = countedTool(
    'slow',
    {},
    async (_args, { signal }) => {
      begun.open();
      await aborted(signal);
      throw new Error('stopped');
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
  expect(outcome?.type).toBe('interrupted');
  expect(results).toMatchObject([{ name: 'slow', cause: 'timed_out' }]);
});

test('a local tool that a person is to approve is an ordinary activity', async () => {
  const asked = countedTool('asked', {}, () => 'done', { ...local, approval: 'ask' });
  let types: string[] = [];
  const { results } = await endedTurn(
    { script: [toolCall('asked'), text('ok')], tools: [asked.tool] },
    async ({ turn, client }) => {
      const { callId } = await untilEvent(turn, 'approval_requested');
      await turn.approve(callId);
      await turn.result();
      types = await activityTypes(client.client, turn.turnId);
    },
  );
  expect(results).toMatchObject([{ status: 'ok' }]);
  expect(types).toContain('asked');
});
