import { randomUUID } from 'node:crypto';
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scriptedModel, text } from '../../src/testing/index.js';
import { type RunningWorker, withWorker } from '../../src/testing/test-environment.js';
import { hostileText, hostileValue } from '../shared/hostile.js';
import { agentWith } from './agents.js';

const circular = ApplicationFailure.create({ message: 'bad \ud800' });
Object.defineProperty(circular, 'cause', { value: circular });
const unreadable = Object.defineProperty(new Error(), 'message', {
  get() {
    throw new Error('bad \ud800');
  },
});

const thrown: fc.Arbitrary<unknown> = fc.oneof(
  hostileValue,
  fc
    .tuple(hostileText, hostileText, hostileText)
    .map(([message, name, stack]) => Object.assign(new Error(), { message, name, stack })),
  fc
    .tuple(hostileText, hostileText, hostileText)
    .map(([message, type, why]) => ApplicationFailure.create({ message, type, cause: new Error(why) })),
  hostileText.map((message) => new CancelledFailure(message, [message])),
  fc.constantFrom(circular, unreadable, Object.freeze(new Error('bad \ud800'))),
);

// Without the interceptor this ends the worker's process, which is the test's own (SDK 1.24).
test("no error of a program's own activities on the worker stops it", async () => {
  const errors = fc.sample(thrown, 40);
  const fail = async (index: number) => {
    throw errors[index];
  };
  const agent = agentWith([], { model: scriptedModel([text('done')]) });
  const use = async ({ client, taskQueue, start }: RunningWorker) => {
    const failing = errors.map((_, index) =>
      client.client.activity.execute('fail', {
        id: randomUUID(),
        taskQueue,
        args: [index],
        startToCloseTimeout: '10 seconds',
        retry: { maximumAttempts: 1 },
      }),
    );
    const ended = await Promise.allSettled(failing);
    expect(ended.map(({ status }) => status)).toEqual(errors.map(() => 'rejected'));
    expect(await (await start('hello')).result()).toMatchObject({ text: 'done' });
  };
  await withWorker(agent, use, { worker: { activities: { fail } } });
});
