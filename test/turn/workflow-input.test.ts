import { randomUUID } from 'node:crypto';
import { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TurnOutcome } from '../../src/shared/turn.js';
import { scriptedModel, text } from '../../src/testing/index.js';
import { hostileText } from '../shared/hostile.js';
import { sharedWorker } from './shared-worker.js';

const worker = sharedWorker([]);

/** What anybody may start with Temporal's own tools; gives the failure's type and text. */
async function failureOf(input: unknown): Promise<Failure> {
  const handle = await worker.client.client.workflow.start('holdfast.turn', {
    taskQueue: worker.taskQueue,
    workflowId: randomUUID(),
    args: input === undefined ? [] : [input],
  });
  return await endOf(handle.workflowId);
}

type Failure = { type: string | null | undefined; message: string; outcome?: TurnOutcome };

async function endOf(workflowId: string): Promise<Failure> {
  const handle = worker.client.client.workflow.getHandle(workflowId);
  const error = await handle.result().catch((caught: unknown) => caught);
  // Whatever it was started with, it can be looked at.
  expect((await worker.client.turn(workflowId).transcript()).at(-1)).toMatchObject({ role: 'user' });
  for await (const event of worker.client.turn(workflowId).events()) expect(event.turnId).toBe(workflowId);
  const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
  if (cause instanceof ApplicationFailure) {
    const outcome = cause.details?.[0] as TurnOutcome | undefined;
    return { type: cause.type, message: cause.message, ...(outcome && { outcome }) };
  }
  throw new Error('The turn was to fail, and did not.', { cause: error });
}

const valid = { v: 1, agent: 'tester', prompt: 'hello' };

test.each([
  ['a later version', { ...valid, v: 2 }, 'has version 2; this Holdfast reads up to 1'],
  ['no version', { agent: 'tester', prompt: 'hello' }, 'this one has none'],
  ['a version that is no number', { ...valid, v: '1' }, 'this one has "1"'],
  ['no input', undefined, 'this one has none'],
  ['null', null, 'this one has none'],
  ['a text', 'hello', 'this one has none'],
])('a turn of %s fails at once as of an unsupported version', async (_, input, told) => {
  const { type, message } = await failureOf(input);
  expect(type).toBe('Turn.UnsupportedVersion');
  expect(message).toContain(told);
});

test.each([
  ['no prompt', { v: 1, agent: 'tester' }, 'prompt'],
  ['a key that it does not know', { ...valid, promt: 'hello' }, 'promt'],
  ['a prompt that is no text', { ...valid, prompt: 7 }, 'prompt'],
  [
    'nothing as it should be',
    { v: 1, agent: 7, prompt: { a: 1 }, transcript: 1, attachments: [null] },
    'agent',
  ],
  ['an agent without a name', { ...valid, agent: '' }, 'agent'],
  ['a limit of 0', { ...valid, limits: { iterations: 0 } }, 'limits.iterations'],
  [
    'a transcript of another kind',
    { ...valid, transcript: [{ role: 'user', content: 'hi' }] },
    'transcript[0]',
  ],
  ['a tenant of over 64 bytes', { ...valid, tenant: 'ü'.repeat(33) }, 'tenant'],
  ['a tenant with a half of a character', { ...valid, tenant: 'a\ud800' }, 'tenant'],
])('a turn with %s fails at once, and names it', async (_, input, told) => {
  const { type, message } = await failureOf(input);
  expect(type).toBe('Turn.InvalidInput');
  expect(message).toContain(told);
  expect(message).toContain('an example is {"v":1,"agent":"coder","prompt":"Hello"}');
});

// Node can neither write such JSON nor check it; other programs can write it.
test('metadata that is nested too deep to be read fails the turn at once', async () => {
  const [depth, workflowId] = [20_000, randomUUID()];
  const metadata = `${'{"deeper":'.repeat(depth)}{}${'}'.repeat(depth)}`;
  const { client } = worker.client;
  await client.workflowService.startWorkflowExecution({
    namespace: client.options.namespace,
    requestId: randomUUID(),
    workflowId,
    workflowType: { name: 'holdfast.turn' },
    taskQueue: { name: worker.taskQueue },
    input: {
      payloads: [
        {
          metadata: { encoding: Buffer.from('json/plain') },
          data: Buffer.from(`{"v":1,"agent":"tester","prompt":"hello","metadata":${metadata}}`),
        },
      ],
    },
  });
  expect(await endOf(workflowId)).toMatchObject({ type: 'Turn.InvalidInput' });
});

// Nothing in the input may stop a worker's process, which is the test's own.
test('any strings in a wrong input are told in the failure, and the worker goes on', async () => {
  const anything = fc.dictionary(hostileText, fc.oneof(hostileText, fc.jsonValue()), { maxKeys: 5 });
  const property = fc.asyncProperty(anything, hostileText, async (odd, agent) => {
    expect(await failureOf({ ...odd, v: 1, agent, extra: agent })).toMatchObject({
      type: 'Turn.InvalidInput',
    });
  });
  await fc.assert(property, { numRuns: 10 });
});

test.each(['acme', 'ü'.repeat(32), '', 'a\nb', '😀'])('a turn of the tenant %j is run', async (tenant) => {
  const turn = await worker.start(scriptedModel([text('done')]), 'hello', { tenant });
  expect((await turn.result()).text).toBe('done');
});

test('a client refuses a tenant that Temporal cannot carry', async () => {
  const start = worker.start(scriptedModel([]), 'hello', { tenant: 'x'.repeat(65) });
  await expect(start).rejects.toThrow('tenant');
});

// By design this takes ten seconds: another worker of the queue may have it. The names are tried side by side.
test('an agent that no worker has fails the turn by name', { timeout: 30_000 }, async () => {
  const names = ['nobody', ...fc.sample(hostileText, 10).filter((name) => name !== '')];
  const failures = await Promise.all(
    names.map((agent) => failureOf({ ...valid, agent, version: agent.slice(0, 1000) })),
  );
  for (const failure of failures) {
    expect(failure.type).toBe('Agent.NotHere');
    expect(failure.message).toContain('this one serves: tester 1.');
    expect(failure.outcome?.steps).toMatchObject([{ iteration: 0, attempts: 10 }]);
  }
});
