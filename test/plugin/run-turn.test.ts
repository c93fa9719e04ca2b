import { randomUUID } from 'node:crypto';
import { ApplicationFailure, CancelledFailure, WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../src/index.js';
import { fault, type Script, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import type { RunTurnOptions, runTurn, TurnResult } from '../../src/workflows.js';
import { aborted, countedTool, gate, heldReply } from '../turn/agents.js';
import { modelsByName } from '../turn/shared-worker.js';
import type { Analyst } from './agents.js';
import { bundled, type OwnWorker, withOwnWorker } from './own-worker.js';

const models = modelsByName();
const hanging = new Map<string, () => void>();
const look = countedTool('look', {}, (_, { metadata }) => metadata);
const readMuch = countedTool('read', { from: z.number() }, () => 'x'.repeat(30_000));
const wait = countedTool('wait', {}, async (_, { signal, turnId }) => {
  hanging.get(turnId)?.();
  await aborted(signal);
  throw signal.reason;
});
const tools = [look.tool, readMuch.tool, wait.tool];
const analyst = defineAgent({ name: 'analyst', instructions: 'Report.', model: models.model, tools });

const allDone = gate();
let worker: OwnWorker;
let ended: Promise<void> | undefined;
beforeAll(async () => {
  const workflowBundle = await bundled('reports.ts');
  await new Promise<void>((resolve, reject) => {
    ended = withOwnWorker([analyst], { workflowBundle }, async (running) => {
      worker = running;
      resolve();
      await allDone.opened;
    });
    ended.catch(reject);
  });
});
afterAll(async () => {
  allDone.open();
  await ended;
});

function asked(script: Script, options: Partial<RunTurnOptions> = {}): RunTurnOptions {
  return { agent: 'analyst', prompt: 'Report.', model: models.add(scriptedModel(script)), ...options };
}

/** What the workflow ended with, which was not a result. */
async function failureOf(handle: { result(): Promise<unknown> }): Promise<unknown> {
  const error = await handle.result().catch((caught: unknown) => caught);
  return error instanceof WorkflowFailedError ? error.cause : error;
}

/** A workflow whose turn hangs in its tool until somebody ends it. */
async function startHanging(workflow = 'turn') {
  const turnId = `report-${randomUUID()}`;
  const hangs = new Promise<void>((resolve) => hanging.set(turnId, resolve));
  const own = await worker.start(workflow, asked([toolCall('wait', {})], { turnId }));
  await hangs;
  return { own, turnId, turn: worker.client.turn(turnId) };
}

test("a workflow knows the type of an agent's output from the agent's type alone", () => {
  type Completed<Turn> = Extract<Turn, { type: 'completed' }>;
  type Result = Completed<Awaited<ReturnType<typeof runTurn<Analyst>>>>;
  expectTypeOf<Result['output']>().toEqualTypeOf<{ title: string }>();
  expectTypeOf<Completed<TurnResult>['output']>().toBeUnknown();
});

test('two turns of one workflow run side by side', async () => {
  const [first, second] = [heldReply('one'), heldReply('two')];
  const own = await worker.start('twoTurns', asked([first.entry]), asked([second.entry]));
  await Promise.all([first.asked, second.asked]);
  second.answer();
  first.answer();
  expect(await own.result()).toMatchObject([{ text: 'one' }, { text: 'two' }]);
});

test('a turn has the id, limits and metadata that its workflow gave, and clients find it', async () => {
  const turnId = `report-${randomUUID()}`;
  const given = { turnId, limits: { iterations: 1 }, metadata: { day: 'Monday' } };
  const own = await worker.start('turn', asked([toolCall('look', {})], given));
  expect(await own.result()).toMatchObject({ type: 'max_iterations', turnId });
  const [, , results] = await worker.client.turn(turnId).transcript();
  expect(results).toMatchObject({ content: [{ content: [{ text: '{"day":"Monday"}' }] }] });
});

test("a workflow of one's own is no turn, and looking at it as one says so", async () => {
  const own = await worker.start('turn', asked([text('done')]));
  await own.result();
  const { workflowId } = own;
  const told = `${workflowId} is a workflow of the type turn, and no turn.`;
  await expect(worker.client.turn(workflowId).transcript()).rejects.toThrow(told);
  await expect(worker.client.turn(workflowId).events().next()).rejects.toThrow(told);
});

test('a turn whose id was used before fails the workflow as a conflict', async () => {
  const turnId = `report-${randomUUID()}`;
  await (await worker.start('turn', asked([text('done')], { turnId }))).result();
  const failure = await failureOf(await worker.start('turn', asked([text('done')], { turnId })));
  expect(failure).toMatchObject({ type: 'Turn.Conflict', message: expect.stringContaining(turnId) });
});

test('a fault of the model fails the workflow with its type and the outcome so far', async () => {
  const failure = await failureOf(await worker.start('turn', asked([fault({ status: 401 })])));
  expect(failure).toBeInstanceOf(ApplicationFailure);
  expect(failure).toMatchObject({
    type: 'Model.Authentication',
    message: expect.stringMatching(/^Turn \S+ of analyst failed: /),
    details: [{ type: 'failed', agent: 'analyst', iterations: 0 }],
  });
});

test.each<[string, object, string]>([
  ['no agent', { agent: '' }, 'agent: '],
  ['no prompt', { prompt: undefined }, 'prompt: expected a text'],
  ['a prompt that is neither text nor list', { prompt: 5 }, 'prompt: expected a text'],
  ['an id that is no text', { turnId: null }, 'turnId null: use letters'],
  ['an option that it does not know', { limit: 3 }, 'limit'],
  ['an id that no turn can have', { turnId: 'a b' }, 'turnId "a b": use letters'],
])('a turn with %s fails the workflow, in words', async (_, options, told) => {
  const failure = await failureOf(await worker.start('turn', asked([], options)));
  expect(failure).toMatchObject({ type: 'Turn.InvalidInput', message: expect.stringContaining(told) });
});

test('an interrupt of the turn is an outcome for its workflow', async () => {
  const { own, turn } = await startHanging();
  await turn.interrupt('it takes too long');
  const intervention = { kind: 'interrupt', reason: 'it takes too long' };
  expect(await own.result()).toMatchObject({ type: 'interrupted', intervention });
});

test('a workflow has handlers of its own, and signals its turn by the id', async () => {
  const { own } = await startHanging('hurried');
  await own.signal('interrupt');
  expect(await own.result()).toMatchObject({ type: 'interrupted', intervention: { reason: 'hurry' } });
});

test('a cancel of the workflow cancels its turn, which settles its tool calls', async () => {
  const { own, turn } = await startHanging();
  await own.cancel();
  expect(await failureOf(own)).toBeInstanceOf(CancelledFailure);
  await expect(turn.result()).rejects.toMatchObject({ status: 'CANCELED' });
  const [, , results] = await turn.transcript();
  expect(results).toMatchObject({ content: [{ status: 'interrupted' }] });
});

test('the end of the workflow without its turn cancels the turn', async () => {
  const { own, turn } = await startHanging();
  await own.terminate();
  await expect(turn.result()).rejects.toMatchObject({ status: 'CANCELED' });
});

test.each([
  ['canceled', 'Turn.Canceled'],
  ['terminated', 'Turn.Terminated'],
])('a turn that is %s from outside fails its workflow, by name', async (how, type) => {
  const { own, turnId } = await startHanging();
  const turn = worker.client.client.workflow.getHandle(turnId);
  await (how === 'canceled' ? turn.cancel() : turn.terminate());
  expect(await failureOf(own)).toMatchObject({ type, message: `Turn ${turnId} of analyst was ${how}` });
});

test('messages that are too large for a result are read by the id of the turn', async () => {
  const calls = Array.from({ length: 3 }, (_, from) => toolCall('read', { from }));
  const own = await worker.start('turn', asked([...calls, text('done')]));
  const outcome = (await own.result()) as TurnResult;
  expect(outcome).toMatchObject({ type: 'completed', text: 'done', messageCount: 8 });
  expect(outcome.messages).toBeUndefined();
  expect(await worker.client.turn(outcome.turnId).transcript()).toHaveLength(8);
});
