import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { TurnFailed } from '../../src/client/errors.js';
import type { Agent } from '../../src/define/define-agent.js';
import type { ToolContext } from '../../src/define/define-tool.js';
import { retryable } from '../../src/define/retryable.js';
import {
  attempts,
  fault,
  rawBytes,
  rawChunks,
  reply,
  scriptedModel,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { type RunningWorker, testPlace, withWorker } from '../../src/testing/test-environment.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { createWorker } from '../../src/worker.js';
import { long } from '../support/long.js';
import { agentWith, countedTool, echoTool, gate, rolesOf, servedModel, textOfResult } from './agents.js';

type Seen = Pick<ToolContext, 'attempt' | 'idempotencyKey' | 'callId'>;

/** Asks to be tried again until its last attempt, and keeps what it was told at each. */
function busyTool(lastAttempt: number) {
  const seen: Seen[] = [];
  const { tool } = countedTool('busy', {}, (_, { attempt, idempotencyKey, callId }) => {
    seen.push({ attempt, idempotencyKey, callId });
    if (attempt < lastAttempt) throw retryable(new Error('the bank is busy'), { after: 1 });
    return 'paid';
  });
  return { tool, seen };
}

async function failureOf(agent: Agent, model: ReturnType<typeof scriptedModel>): Promise<TurnFailed> {
  const failure = await testTurn(agent, 'hello', { model }).catch((error: unknown) => error);
  if (failure instanceof TurnFailed) return failure;
  throw new Error('The turn was to fail, and did not.', { cause: failure });
}

test('a tool that asks for it is tried again, with the same idempotency key', async () => {
  const busy = busyTool(2);
  const model = scriptedModel([toolCall('busy'), text('done')]);
  const { calls } = await testTurn(agentWith([busy.tool]), 'hello', { model });
  expect(textOfResult(calls[0]?.result)).toBe('paid');
  expect(busy.seen.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(new Set(busy.seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
});

test('two calls of one tool have two idempotency keys', async () => {
  const busy = busyTool(1);
  const model = scriptedModel([reply(toolCall('busy'), toolCall('busy')), toolCall('busy'), text('done')]);
  await testTurn(agentWith([busy.tool]), 'hello', { model });
  expect(new Set(busy.seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
});

// O21: bounded
test('a tool that asks for it again and again is told to the model as an error in the end', async () => {
  const busy = busyTool(Number.POSITIVE_INFINITY);
  const model = scriptedModel([toolCall('busy'), text('done')]);
  const { calls, outcome } = await testTurn(agentWith([busy.tool]), 'hello', { model });
  expect(textOfResult(calls[0]?.result)).toBe('Error: the bank is busy');
  expect(busy.seen.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
  expect(outcome.text).toBe('done');
});

// FA-063, O19
test('a model call that was limited is tried again after the wait that the provider names', async () => {
  const { server, model } = await servedModel([
    attempts(fault({ status: 429, retryAfter: '0.05' }), text('done')),
  ]);
  const { outcome } = await testTurn(agentWith([]), 'hello', { model });
  expect(outcome).toMatchObject({ text: 'done', iterations: 1 });
  expect(server.requests.map(({ attempt }) => attempt)).toEqual([1, 2]);
});

// FA-063: once more for each kind of fault, whatever else had happened
test.each([
  ['an empty reply', reply()],
  ['a web page', rawBytes(['<html></html>'], { headers: { 'content-type': 'text/html' } })],
])('%s is asked for once more, and no oftener, after other faults, too', async (_name, odd) => {
  const busy = fault({ status: 429, retryAfter: '0.01' });
  const once = await servedModel([attempts(busy, odd, text('done'))]);
  const twice = await servedModel([attempts(busy, odd, odd, text('never'))]);
  const [answered, failed] = await Promise.allSettled(
    [once, twice].map(({ model }) => testTurn(agentWith([]), 'hello', { model })),
  );
  expect(answered).toMatchObject({ value: { outcome: { text: 'done' } } });
  expect(failed).toMatchObject({ reason: { name: 'TurnFailed', outcome: { usage: { failedCalls: 3 } } } });
  expect([once, twice].map(({ server }) => server.requests.length)).toEqual([3, 3]);
});

// D3: no terminal event
test('of a stream that ends without its ending no call is run, and the model is asked again', async () => {
  const echo = echoTool();
  const whole = { index: 0, id: 'c1', function: { name: 'echo', arguments: '{"text":"a"}' } };
  const cut = rawChunks([{ choices: [{ index: 0, delta: { tool_calls: [whole] }, finish_reason: null }] }]);
  const { server, model } = await servedModel([attempts(cut, text('done'))]);
  const { outcome, transcript } = await testTurn(agentWith([echo.tool]), 'hello', { model });
  expect(outcome.text).toBe('done');
  expect(rolesOf(transcript)).toEqual(['user', 'assistant']);
  expect(server.requests).toHaveLength(2);
  expect(echo.runs).toEqual([]);
});

// D14, FA-049: ours keeps the user message
test('a key that the provider refuses fails the turn by name, after one try', async () => {
  const model = scriptedModel([fault({ status: 401 })]);
  const failure = await failureOf(agentWith([]), model);
  expect(failure).toMatchObject({ status: 'FAILED', type: 'Model.Authentication' });
  expect(failure.outcome).toMatchObject({
    v: 1,
    type: 'failed',
    messages: [{ role: 'user', content: [{ text: 'hello' }] }],
  });
  expect(model.requests).toHaveLength(1);
});

// D14, FA-047, MC-040
test('a model that fails after a round leaves the rounds before in the outcome', async () => {
  const model = scriptedModel([toolCall('echo', { text: 'a' }), fault({ status: 400 })]);
  const failure = await failureOf(agentWith([echoTool().tool]), model);
  expect(failure.type).toBe('Model.BadRequest');
  expect(rolesOf(failure.outcome?.messages ?? [])).toEqual(['user', 'assistant', 'tool']);
  expect(failure.outcome).toMatchObject({ iterations: 1 });
});

test('a turn runs the tools of its own version of the agent, with both on one worker', async () => {
  const [one, two] = [countedTool('tell', {}), countedTool('tell', {})];
  const model = scriptedModel([toolCall('tell'), text('done')]);
  const first = agentWith([one.tool], { version: '1', model });
  const second = agentWith([two.tool], { version: '2', model });
  const use = async ({ start }: RunningWorker) => {
    const turn = await start('hello', { version: '1' });
    expect(await turn.result()).toMatchObject({ text: 'done', version: '1' });
  };
  await withWorker(second, use, { agents: [first, second] });
  expect([one.runs.length, two.runs.length]).toEqual([1, 0]);
});

test('a worker that has another version of the agent leaves the turn to one that has its own', async () => {
  const model = scriptedModel([text('done')]);
  const taskQueue = `test-${randomUUID()}`;
  const { client } = await testPlace();
  const turn = await client.start('tester', 'hello', { taskQueue, version: '1' });
  const passedOn = async () => {
    for await (const event of turn.events()) if (event.type === 'retry_waiting') return event.failure.type;
    return undefined;
  };
  const other = agentWith([], { version: '2', model });
  expect(await withWorker(other, passedOn, { taskQueue })).toBe('Agent.NotHere');
  expect(model.requests).toEqual([]);

  const own = agentWith([], { version: '1', model });
  const outcome = await withWorker(own, () => turn.result(), { taskQueue });
  expect(outcome).toMatchObject({ text: 'done', version: '1' });
});

test.runIf(long)(
  'a tool that no worker has any more is told to the model as not run, and the turn goes on',
  async () => {
    const echo = echoTool();
    const replied = gate();
    const model = scriptedModel([
      () => {
        replied.open();
        return toolCall('echo', { text: 'a' });
      },
      text('done'),
    ]);
    const { connection, client } = await testPlace();
    const taskQueue = `test-${randomUUID()}`;
    const before = await createWorker({ agents: [agentWith([echo.tool], { model })], connection, taskQueue });
    const turn = await client.start('tester', 'hello', { taskQueue });
    const stopped = before.worker.run();
    await replied.opened;
    before.worker.shutdown();
    await stopped;

    await withWorker(agentWith([], { model }), () => turn.result(), { taskQueue });
    const [, , answer] = await turn.transcript();
    const [result] = answer?.role === 'tool' ? answer.content : [];
    expect(result).toMatchObject({ status: 'error', name: 'echo' });
    expect(textOfResult(result)).toContain('No worker on this task queue has the tool "echo"');
    expect(echo.runs).toEqual([]);
  },
);
