import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/define/define-agent.js';
import { defineTool } from '../../src/define/define-tool.js';
import type { HookContext, Hooks } from '../../src/define/hooks.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import type { ActivityReport, StartedActivity } from '../../src/worker/activity-reports.js';
import { reportLostActivities } from '../../src/worker/lost-activities.js';
import { endedTurn, untilEvent } from '../interventions/ended-turn.js';
import { oddServer } from '../mcp/odd-servers.js';
import { aborted, gate, textOfResult } from './agents.js';
import { remote, withForeignWorker } from './foreign-worker.js';

/** Changes each call's arguments, and puts a mark at the end of each result. */
const marking: Hooks = {
  name: 'marking',
  beforeToolCall: ({ name, arguments: given }) => ({ arguments: { ...given, ...changes[name] } }),
  afterToolCall: ({ name }) => ({ append: ` (${name} was seen)` }),
};
const changes: Record<string, object> = {
  odd__echo: { text: 'b' },
  say: { text: 'b' },
  helper: { task: 'b' },
  quick: { text: 'b' },
};

test('hooks of the worker see tools of MCP servers, remote tools, sub-agents and local activities', async () => {
  const long = 'so long '.repeat(20_000);
  const activities = { say: async ({ text: said }: { text: string }) => said, long: async () => long };
  const helper = defineAgent({
    ...{ name: 'helper', description: 'Helps.', instructions: 'Help.' },
    model: scriptedModel([text('helped')]),
  });
  const quick = defineTool({
    ...{ name: 'quick', description: '', input: z.object({ text: z.string() }) },
    ...{ idempotent: true, execution: 'local' },
    run: ({ text: said }) => said,
  });
  const { results, outcome, events } = await withForeignWorker(activities, async (taskQueue) => {
    const calls = [toolCall('odd__echo', { text: 'a' }), toolCall('say', { text: 'a' }), toolCall('long')];
    return await endedTurn(
      {
        script: [
          reply(...calls, toolCall('helper', { task: 'a' }), toolCall('quick', { text: 'a' })),
          text('done'),
        ],
        agent: {
          tools: [
            oddServer().server,
            remote('say', { taskQueue }),
            remote('long', { taskQueue }),
            helper,
            quick,
          ],
        },
        worker: { hooks: [marking] },
      },
      async () => undefined,
    );
  });
  const noted = (input: object) =>
    `[A hook changed the arguments, and it was run with: ${JSON.stringify(input)}]`;
  const [echo, say, longer, helped, local] = results.map(textOfResult);
  expect(echo).toBe(`echo b (odd__echo was seen)${noted({ text: 'b' })}`);
  expect(say).toBe(`b (say was seen)${noted({ text: 'b' })}`);
  expect(longer).toMatch(/^so long .* \(long was seen\)$/s);
  expect(results[2]?.artifact?.bytes).toBe(long.length);
  expect(helped).toBe(`helped (helper was seen)${noted({ task: 'b' })}`);
  expect(local).toBe(`b (quick was seen)${noted({ text: 'b' })}`);
  const done = (outcome?.steps[0]?.hooks ?? []).map(({ callId, point }) => `${point} ${callId}`);
  const changed = results
    .filter(({ name }) => name in changes)
    .map(({ callId }) => `beforeToolCall ${callId}`);
  const expected = [...changed, ...results.map(({ callId }) => `afterToolCall ${callId}`)];
  expect(done.toSorted()).toEqual(expected.toSorted());
  expect(events.filter(({ type }) => type === 'hook')).toHaveLength(done.length);
});

test('an interrupt ends a hook, and the result that it looked at is kept', async () => {
  const looking = gate();
  const slow: Hooks = {
    async afterToolCall(_done, { signal }) {
      looking.open();
      await aborted(signal);
      return { result: 'never' };
    },
  };
  const quick = defineTool({
    ...{ name: 'quick', description: '', input: z.object({}) },
    run: () => 'it has run',
  });
  const { results, outcome } = await endedTurn(
    { script: [toolCall('quick')], tools: [quick], agent: { hooks: [slow] } },
    async ({ turn }) => {
      await looking.opened;
      await turn.interrupt();
    },
  );
  expect(outcome?.type).toBe('interrupted');
  expect(results).toMatchObject([{ status: 'ok' }]);
  expect(textOfResult(results[0])).toBe('it has run');
});

test("an interrupt ends a hook after a sub-agent's call, too", async () => {
  const looking = gate();
  const slow: Hooks = {
    async afterToolCall() {
      looking.open();
      await new Promise(() => undefined);
    },
  };
  const helper = defineAgent({
    ...{ name: 'helper', description: 'Helps.', instructions: 'Help.' },
    model: scriptedModel([text('helped')]),
  });
  const { results, outcome } = await endedTurn(
    { script: [toolCall('helper', { task: 'a' })], agent: { hooks: [slow], tools: [helper] } },
    async ({ turn }) => {
      await untilEvent(turn, 'tool_started');
      await looking.opened;
      await turn.interrupt();
    },
  );
  expect(outcome?.type).toBe('interrupted');
  expect(results.map(textOfResult)).toEqual(['helped']);
});

test('a hook that a crash has cut short runs again with the same key, and what it cut short is told', async () => {
  const keys: Record<string, string[]> = { afterToolCall: [], afterTurn: [] };
  const begun = [gate(), gate()];
  const cutOnce = async (point: string, { idempotencyKey, signal }: HookContext, index: number) => {
    keys[point]?.push(idempotencyKey);
    if (keys[point]?.length !== 1) return;
    begun[index]?.open();
    await aborted(signal);
  };
  const hooks: Hooks = {
    async afterToolCall({ text: said }, context) {
      await cutOnce('afterToolCall', context, 0);
      return { result: `${said}, as it was seen` };
    },
    afterTurn: (_turn, context) => cutOnce('afterTurn', context, 1),
  };
  const pay = defineTool({
    ...{ name: 'pay', description: '', input: z.object({}) },
    run: () => 'paid',
    reconcile: () => 'paid before',
  });
  const running = new Map<string, StartedActivity>();
  const onActivity = (report: ActivityReport) => {
    if (report.type === 'activity_started') running.set(report.token, report);
    else running.delete(report.token);
  };
  const { results, outcome } = await endedTurn(
    {
      script: [toolCall('pay'), text('done')],
      tools: [pay],
      agent: { hooks: [hooks] },
      worker: { onActivity },
    },
    async ({ client }) => {
      for (const { opened } of begun) {
        await opened;
        await reportLostActivities(client.client, [...running.values()], 'test');
      }
    },
  );
  expect(outcome?.type).toBe('completed');
  expect(results.map(textOfResult)).toEqual(['paid before, as it was seen']);
  const turnId = outcome?.turnId ?? '';
  const own = Object.values(keys).map((each) => each.filter((key) => key.startsWith(turnId)));
  expect(own.map((each) => [each.length, new Set(each).size])).toEqual([
    [2, 1],
    [2, 1],
  ]);
});
