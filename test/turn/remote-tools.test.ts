import { randomBytes, randomUUID } from 'node:crypto';
import { Context, heartbeat } from '@temporalio/activity';
import { Worker } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { testPlace } from '../../src/testing/test-environment.js';
import { endedTurn, untilEvent } from '../interventions/ended-turn.js';
import { activityTypes } from './activity-types.js';
import { gate, textOfResult } from './agents.js';
import { remote, withForeignWorker } from './foreign-worker.js';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test("a remote tool's activity is given the arguments and a context, and what it returns is the result", async () => {
  const given: unknown[][] = [];
  const long = 'so long '.repeat(20_000);
  const activities = {
    say: async (...args: unknown[]) => {
      given.push(args);
      return 'said';
    },
    list: async () => ({ rows: [1, 2], more: null }),
    nothing: async () => undefined,
    throws: async () => {
      throw new TypeError('no such page');
    },
    long: async () => long,
    picture: async () => [
      { type: 'text', text: 'a pixel' },
      { type: 'image', mediaType: 'image/png', data: PIXEL },
    ],
    huge: async () => randomBytes(1_700_000).toString('base64'),
  };
  const { results, events, outcome } = await withForeignWorker(activities, async (taskQueue) => {
    const names = ['list', 'nothing', 'throws', 'long', 'picture', 'huge', 'lacking'];
    return await endedTurn(
      {
        script: [
          reply(
            toolCall('speak', { text: 'a' }),
            ...names.map((name) => toolCall(name)),
            toolCall('list', { text: 'x'.repeat(210_000) }),
          ),
          text('ok'),
        ],
        tools: [
          remote('speak', { taskQueue, activity: 'say' }),
          ...names.map((name) => remote(name, { taskQueue })),
        ],
        turn: { metadata: { ticket: 7 } },
      },
      async () => undefined,
    );
  });
  expect(given).toEqual([
    [
      { text: 'a' },
      {
        ...{ v: 1, tool: 'speak', turnId: outcome?.turnId, callId: results[0]?.callId, iteration: 0 },
        idempotencyKey: `${outcome?.turnId}/0/${results[0]?.callId}`,
        maxResultBytes: 100_000,
        metadata: { ticket: 7 },
      },
    ],
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    ...['ok', 'ok', 'ok', 'error', 'ok', 'ok', 'error', 'error', 'error'],
  ]);
  const texts = results.map(textOfResult);
  expect(texts.slice(0, 4)).toEqual([
    'said',
    '{"rows":[1,2],"more":null}',
    '',
    'Error: TypeError: no such page',
  ]);
  expect(results[4]?.artifact?.bytes).toBe(long.length);
  expect(texts[4]).toContain('read_artifact');
  expect(results[5]?.content).toMatchObject([{ text: 'a pixel' }, { type: 'image', mediaType: 'image/png' }]);
  expect(texts[6]).toContain('what it returned takes more than 2 MB');
  expect(texts[7]).toContain('is not registered');
  expect(results[8]?.cause).toBe('arguments_not_kept');
  const started = events.filter((event) => event.type === 'tool_started');
  expect(started[0]).toMatchObject({ name: 'speak', summary: 'speak a' });
  expect(started).toHaveLength(8);
  expect(outcome?.steps[0]?.calls.map(({ status }) => status)).toEqual(results.map(({ status }) => status));
});

test('a queue without a worker is named; a lost call that may run only once is unknown, another is tried again', async () => {
  const runs: string[] = [];
  const released = gate();
  const activities = {
    silent: async () => {
      runs.push('silent');
      await released.opened;
    },
    slow: async () => {
      runs.push('slow');
      await released.opened;
    },
    again: async () => {
      runs.push('again');
      if (Context.current().info.attempt === 1) throw new Error('not yet');
      return 'at last';
    },
  };
  const empty = `nobody-${randomUUID()}`;
  const { results } = await withForeignWorker(activities, async (taskQueue) => {
    return await endedTurn(
      {
        script: [
          reply(toolCall('nobody'), toolCall('silent'), toolCall('slow'), toolCall('again')),
          text('ok'),
        ],
        tools: [
          remote('nobody', { taskQueue: empty, queueTimeout: '200 milliseconds' }),
          remote('silent', { taskQueue, heartbeatTimeout: '500 milliseconds' }),
          remote('slow', { taskQueue, timeout: '300 milliseconds' }),
          remote('again', { taskQueue, idempotent: true }),
        ],
      },
      async ({ turn }) => {
        await turn.result();
        released.open();
      },
    );
  });
  expect(results).toMatchObject([
    { status: 'error', cause: 'no_worker' },
    { status: 'unknown', cause: 'worker_lost' },
    { status: 'unknown', cause: 'timed_out' },
    { status: 'ok' },
  ]);
  expect(textOfResult(results[0])).toContain(`from the task queue "${empty}" in 0.2 s`);
  expect(textOfResult(results[3])).toBe('at last');
  expect(runs.toSorted()).toEqual(['again', 'again', 'silent', 'slow']);
});

test('an interrupt reaches a remote tool by its heartbeat; its progress shows, and what no worker had did not start', async () => {
  const stopped = gate();
  const activities = {
    works: async () => {
      const { cancelled } = Context.current();
      const beat = setInterval(() => heartbeat('page 3 of 10'), 50);
      try {
        return await cancelled;
      } finally {
        clearInterval(beat);
        stopped.open();
      }
    },
  };
  const { results, outcome } = await withForeignWorker(activities, async (taskQueue) => {
    return await endedTurn(
      {
        script: [reply(toolCall('works'), toolCall('waits')), text('never')],
        tools: [
          remote('works', { taskQueue, heartbeatTimeout: '1 second' }),
          remote('waits', { taskQueue: `nobody-${randomUUID()}` }),
        ],
      },
      async ({ turn }) => {
        expect((await untilEvent(turn, 'tool_progress')).text).toBe('page 3 of 10');
        await turn.interrupt('enough');
        await stopped.opened;
      },
    );
  });
  expect(outcome?.type).toBe('interrupted');
  expect(results).toMatchObject([
    { name: 'works', status: 'interrupted', cause: 'was_running' },
    { name: 'waits', status: 'interrupted', cause: 'not_started' },
  ]);
});

test("a person's own arguments are checked before a remote tool is given them", async () => {
  const given: unknown[] = [];
  const activities = {
    asked: async (args: unknown) => {
      given.push(args);
      return 'done';
    },
  };
  let types: string[] = [];
  const { results } = await withForeignWorker(activities, async (taskQueue) => {
    return await endedTurn(
      {
        script: [reply(toolCall('asked', { text: 'a' }), toolCall('asked', { text: 'b' })), text('ok')],
        tools: [remote('asked', { taskQueue, approval: 'ask' })],
      },
      async ({ turn, client }) => {
        await untilEvent(turn, 'approval_requested');
        await turn.approve('call_0_0', { arguments: { text: 'better' } });
        await turn.approve('call_0_1', { arguments: { text: 7 } });
        await turn.result();
        types = await activityTypes(client.client, turn.turnId);
      },
    );
  });
  expect(given).toEqual([{ text: 'better' }]);
  expect(results).toMatchObject([{ status: 'ok' }, { status: 'error', cause: 'invalid_arguments' }]);
  expect(textOfResult(results[0])).toContain('it was run with: {"text":"better"}');
  expect(types.filter((type) => type === 'asked')).toHaveLength(1);
});

test('a call that was tried before its queue lost its worker is unknown', async () => {
  const { connection } = await testPlace();
  const taskQueue = `foreign-${randomUUID()}`;
  let leave = () => {};
  const activities = {
    once: async () => {
      leave();
      throw new Error('half done');
    },
  };
  const worker = await Worker.create({ connection, taskQueue, activities });
  leave = () => worker.shutdown();
  const gone = worker.run();
  const { results } = await endedTurn(
    {
      script: [toolCall('once'), text('ok')],
      tools: [remote('once', { taskQueue, idempotent: true, queueTimeout: '1 second' })],
    },
    async () => undefined,
  );
  await gone;
  expect(results).toMatchObject([{ status: 'unknown', cause: 'worker_lost' }]);
});
