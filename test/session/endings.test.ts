import { expect, test } from 'vitest';
import { fault, reply, text, toolCall } from '../../src/testing/index.js';
import { idle, sessionPlace } from './session-place.js';

const place = sessionPlace();
const hold = reply(toolCall('hold'), toolCall('echo', { text: 'x' }));

test('a turn that fails leaves what it did, and the next one goes on from it', async () => {
  const failing = [toolCall('echo', { text: 'x' }), fault({ status: 401 })];
  const { session, send, told } = place.open(failing);
  const first = await send('one');
  await expect(first.result()).rejects.toThrow(/401/);
  await idle(session, 1);
  expect((await session.state()).lastTurn).toMatchObject({
    ...{ outcome: 'failed', failure: { type: 'Model.Authentication' }, from: 0, count: 3 },
  });
  const next = place.model([text('x'), text('better')]);
  await session.send('tester', 'two', { model: next.name });
  await idle(session, 2);
  expect(await told()).toEqual(['u: one', 'a: ', 'ok', 'u: two', 'a: better']);
  expect((await session.state()).usage.modelCalls).toBe(2);
});

// D17
test.each([
  ['terminated', (turnId: string) => place.client.client.workflow.getHandle(turnId).terminate('by hand')],
  ['interrupted', (turnId: string) => place.client.turn(turnId).cancel()],
])('a turn that was %s from outside leaves valid messages, and the session goes on', async (outcome, end) => {
  const { session, send, told } = place.open([hold, text('done')]);
  const first = await send('one');
  await place.held.running();
  await session.steer('left', { id: 's1' });
  await end(first.turnId);
  await idle(session, 2);
  expect((await session.turns()).map((turn) => turn.outcome)).toEqual([outcome, 'completed']);
  const [prompt, calls, results, ...rest] = await told();
  expect([prompt, calls]).toEqual(['u: one', 'a: ']);
  expect(results?.split(' ')).toHaveLength(2);
  expect(rest).toEqual(['u: left', 'a: done']);
  expect((await session.state()).usage).toMatchObject({ modelCalls: 2, unknownCalls: 0 });
});

test('word of an end that is made up is looked into, and changes nothing', async () => {
  const { session, send, told } = place.open([hold, text('done')]);
  const first = await send('one');
  await place.held.running();
  const word = { v: 1, type: 'completed', text: 'made up', iterations: 1, usage: { inputTokens: 1 } };
  const raw = place.client.client.workflow.getHandle(session.sessionId);
  await raw.signal('turnEnded', { ...word, turnId: first.turnId });
  await raw.signal('turnEnded', { ...word, turnId: 'nobody' });
  await raw.signal('turnEnded');
  place.held.release();
  await first.result();
  await idle(session, 1);
  expect(await told()).toEqual(['u: one', 'a: ', 'ok ok', 'a: done']);
});

test('a turn whose workflow id is taken is not started, and its message is not run twice', async () => {
  const { session, send } = place.open([text('hello')]);
  const { client } = place.client;
  await client.workflow.start('holdfast.session', {
    ...{ workflowId: `${session.sessionId}/m1`, taskQueue: place.taskQueue, args: [{ v: 1 }] },
  });
  const first = await send('one', { id: 'm1' });
  await idle(session, 1);
  expect((await session.state()).lastTurn).toMatchObject({
    ...{ outcome: 'not_started', failure: { type: 'Turn.Conflict' } },
  });
  await expect(first.events().next()).rejects.toThrow(/refused\. A workflow .*m1 was started before/);
  expect(await session.receipt('m1')).toMatchObject({ status: 'refused', problem: /was started before/ });
  expect(await (await send('two')).result()).toMatchObject({ text: 'hello' });
  await client.workflow.getHandle(`${session.sessionId}/m1`).terminate();
});

test('a closed session ends after what waits, and takes no more messages', async () => {
  const { session, send } = place.open([reply(toolCall('hold')), text('one'), text('two')]);
  await send('one');
  await place.held.running();
  const second = await send('two');
  await session.close();
  await expect(send('three')).rejects.toMatchObject({ name: 'SessionClosed' });
  place.held.release();
  expect(await second.result()).toMatchObject({ text: 'two' });
  const outcome = await place.client.client.workflow.getHandle(session.sessionId).result();
  expect(outcome).toMatchObject({ v: 1, turns: 2, messageCount: 6, usage: { modelCalls: 3 } });
  await expect(send('four')).rejects.toThrow(/has ended/);
  expect((await session.state()).phase).toBe('ended');
});

test("Temporal's cancel of a session interrupts its turn, and ends it once that has ended", async () => {
  const { session, send } = place.open([hold]);
  const first = await send('one');
  await place.held.running();
  await send('two');
  const raw = place.client.client.workflow.getHandle(session.sessionId);
  await raw.cancel();
  expect(await first.result()).toMatchObject({ type: 'interrupted' });
  await expect(raw.result()).rejects.toThrow(/canceled|cancelled/i);
  expect(await session.state()).toMatchObject({ phase: 'ended', turns: 1, messageCount: 3, queue: [] });
});

test('after a cancel nothing is run any more: what waits, and what no model call has seen, is refused', async () => {
  const { session, send } = place.open([hold, text('a turn after the cancel')]);
  const first = await send('one');
  await place.held.running();
  const waiting = await send('two', { id: 'm2' });
  await send('look here', { id: 's1', whileBusy: 'steer' });
  const raw = place.client.client.workflow.getHandle(session.sessionId);
  await raw.cancel();
  await expect(raw.result()).rejects.toThrow(/canceled|cancelled/i);
  expect((await session.turns()).map(({ turnId }) => turnId)).toEqual([first.turnId]);
  for (const id of ['m2', 's1']) {
    expect(await session.receipt(id)).toMatchObject({ status: 'refused', problem: /was canceled before/ });
  }
  await expect(waiting.result()).rejects.toThrow(/has ended without the turn/);
  await expect(session.fork()).rejects.toThrow(/has ended\. Go on with its messages/);
  await expect(place.client.session(first.turnId).setTitle('x')).rejects.toThrow(/and no session/);
});

test.each([
  ['{"v":2}', { v: 2 }, /version 2/],
  ['an unknown field', { v: 1, name: 'x' }, /name: is not known/],
])('a session that is started with %s fails at once and says why', async (_what, input, text) => {
  const { client } = place.client;
  const handle = await client.workflow.start('holdfast.session', {
    ...{ workflowId: `bad-${Math.random()}`, taskQueue: place.taskQueue, args: [input] },
  });
  await expect(handle.result()).rejects.toMatchObject({ cause: { message: expect.stringMatching(text) } });
});
