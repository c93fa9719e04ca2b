import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { lastUsed } from '../../src/cli/sessions/list-sessions.js';
import type { SendOptions } from '../../src/client/session-options.js';
import { INTERRUPT } from '../../src/shared/interventions.js';
import { SESSION_WORKFLOW } from '../../src/shared/session.js';
import { SEND } from '../../src/shared/session-requests.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { idle, PATIENCE, sessionPlace } from './session-place.js';

const place = sessionPlace();
const hold = reply(toolCall('hold'));

// FA-101
test('a message begins the session; the next turn sees what was said, and its own instructions', async () => {
  const script = [text('hello'), text('again'), toolCall('echo', { text: 'x' }), text('and again')];
  const { session, send, told, requests } = place.open(script);
  const first = await send('one');
  expect(first.sent).toMatchObject({ status: 'started', position: 0, turnId: first.turnId });
  expect(first.turnId).toMatch(`${session.sessionId}/`);
  expect(await first.result()).toMatchObject({ type: 'completed', text: 'hello', messageCount: 2 });
  await (await send('two', { agent: 'other' })).result();
  const third = await send('three', { agent: 'dynamic' });
  await third.result();
  await idle(session, 3);
  expect(await told()).toEqual([
    ...['u: one', 'a: hello', 'u: two', 'a: again', 'u: three', 'a: ', 'ok', 'a: and again'],
  ]);
  expect(requests.map(({ instructions }) => instructions)).toEqual([
    'Test.',
    'Be another one.',
    'On three.',
    '',
  ]);
  expect(requests[2]?.messages.map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'user', 'assistant', 'user'],
  ]);
  const roles = (await third.transcript()).map(({ role }) => role);
  const said = ['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'tool', 'assistant'];
  expect(roles).toEqual(['system', ...said]);
  expect(requests[3]?.messages.map(({ role }) => role)).toEqual(['system', ...said.slice(0, -1)]);
});

test('messages queue in their order; one that is sent twice, by whatever way, is run once', async () => {
  const { session, send, told } = place.open([hold, text('first'), text('second'), text('third')]);
  await send('one', { id: 'm1' });
  await place.held.running();
  const [second, third] = [await send('two', { id: 'm2' }), await send('three', { id: 'm3' })];
  expect([second.sent, third.sent]).toMatchObject([
    { status: 'queued', position: 1 },
    { status: 'queued', position: 2 },
  ]);
  expect((await send('two', { id: 'm2' })).sent).toMatchObject({ duplicate: true, turnId: second.turnId });
  const raw = place.client.client.workflow.getHandle(session.sessionId);
  await raw.signal(SEND, { v: 1, id: 'm1', agent: 'tester', prompt: 'one' });
  expect((await session.state()).queue).toMatchObject([
    { id: 'm2', agent: 'tester', prompt: 'two' },
    { id: 'm3' },
  ]);
  place.held.release();
  expect(await third.result()).toMatchObject({ type: 'completed', text: 'third' });
  await idle(session, 3);
  expect((await send('three', { id: 'm3' })).sent).toMatchObject({ duplicate: true });
  expect(await told()).toEqual([
    ...['u: one', 'a: ', 'ok', 'a: first', 'u: two', 'a: second', 'u: three', 'a: third'],
  ]);
});

test('another message under an id that was used is refused, and the first one keeps it', async () => {
  const { session, send } = place.open([text('first')]);
  await (await send('one', { id: 'm1' })).result();
  await expect(send('two', { id: 'm1' })).rejects.toThrow(/refused\. Another message was sent with this id/);
  expect(await session.receipt('m1')).toMatchObject({ status: 'started', turnId: `${session.sessionId}/m1` });
});

test('without a worker messages are kept: an interrupt ends what was sent before it, and a refusal is told to who waits', async () => {
  const taskQueue = `later-${randomUUID()}`;
  const { session, send, model } = place.open([text('never')], { taskQueue });
  const { workflow } = place.client.client;
  const handle = await workflow.signalWithStart(SESSION_WORKFLOW, {
    ...{ workflowId: session.sessionId, taskQueue, args: [{ v: 1, limits: { turns: 1 } }] },
    ...{ signal: SEND, signalArgs: [{ v: 1, id: 'm1', agent: 'tester', prompt: 'one', model }] },
  });
  await handle.signal(INTERRUPT, { v: 1, reason: 'changed my mind' });
  const replaced = place.open([text('in its place')], { taskQueue });
  const other = await workflow.signalWithStart(SESSION_WORKFLOW, {
    ...{ workflowId: replaced.session.sessionId, taskQueue, args: [{ v: 1 }] },
    ...{ signal: SEND, signalArgs: [{ v: 1, agent: 'tester', prompt: 'one', model }] },
  });
  const instead = { v: 1, id: 'm2', agent: 'tester', prompt: 'two', model: replaced.model };
  await other.signal(SEND, { ...instead, whileBusy: 'replace' });
  const second = await send('two');
  expect(second.sent).toBeUndefined();
  const refused = second.result().catch((error: unknown) => error);
  await place.serve(taskQueue, async () => {
    expect(await refused).toMatchObject({ name: 'SessionLimitReached', exceeded: { limit: 'turns' } });
    await idle(session, 1);
    expect(await session.turns()).toMatchObject([{ outcome: 'interrupted' }]);
    await idle(replaced.session, 2);
    expect((await replaced.session.turns()).map(({ outcome }) => outcome)).toEqual([
      ...['interrupted', 'completed'],
    ]);
    expect((await replaced.told()).at(-1)).toBe('a: in its place');
  });
});

test("Temporal's own signal-with-start does the same; what is wrong with a message, its receipt tells", async () => {
  const { session, model, told } = place.open([text('hello')]);
  const sent = { v: 1, agent: 'tester', prompt: 'one', model };
  const handle = await place.client.client.workflow.signalWithStart(SESSION_WORKFLOW, {
    ...{ workflowId: session.sessionId, taskQueue: place.taskQueue, args: [{ v: 1 }] },
    ...{ signal: SEND, signalArgs: [{ ...sent, id: 'bad', prompt: 7 }] },
  });
  await handle.signal(SEND, { ...sent, v: 2 });
  await handle.signal(SEND, { ...sent, id: 'a/b' });
  await handle.signal(SEND, { ...sent, id: 'c', transcript: [] });
  await handle.signal(SEND);
  await handle.signal(SEND, sent);
  await idle(session, 1);
  const problemOf = async (id: string) => (await session.receipt(id))?.problem;
  expect(await problemOf('bad')).toMatch(/^prompt: expected a text/);
  expect(await problemOf('t1')).toContain('version 2');
  expect(await problemOf('a/b')).toContain('letters, digits');
  expect(await problemOf('c')).toContain('the session itself');
  expect(await session.receipt('t3')).toMatchObject({ status: 'started', turnId: `${session.sessionId}/t3` });
  expect(await told()).toEqual(['u: one', 'a: hello']);
});

test('what can not be sent is refused by name before it is', async () => {
  const session = place.client.session('nobody');
  const send = (prompt: string, options: SendOptions = {}) => session.send('tester', prompt, options);
  await expect(send('x', { id: 'a b' })).rejects.toThrow(/id: expected letters, digits/);
  await expect(send('x', { whileBusy: 'later' as 'queue' })).rejects.toThrow(/whileBusy: expected "queue"/);
  await expect(send('x'.repeat(700_001))).rejects.toThrow(/takes 700\d+ bytes; a message/);
  expect(() => place.client.session('a b')).toThrow(/sessionId "a b": use letters/);
  await expect(session.state()).rejects.toThrow(/There is no session/);
});

test('a stop goes down; a question and an approval are decided through the session', async () => {
  const { session, send } = place.open([hold, toolCall('asked', { text: 'x' }), text('done')]);
  const first = await send('one');
  await place.held.running();
  await session.stop('shift ends');
  place.held.release();
  expect(await first.result()).toMatchObject({ type: 'interrupted', intervention: { kind: 'stop' } });
  const second = await send('two');
  for await (const event of second.events()) {
    if (event.type === 'approval_requested') await session.approve(event.callId);
  }
  expect(await second.result()).toMatchObject({ type: 'completed', text: 'done' });
});

test('"always" holds for the later turns of that agent, and for no other agent', async () => {
  const call = toolCall('asked', { text: 'x' });
  const { session, send } = place.open([call, text('1'), call, text('2'), call, text('3')]);
  const first = await send('one');
  for await (const event of first.events()) {
    if (event.type === 'approval_requested') await session.approve(event.callId, { always: true });
  }
  expect(await (await send('two')).result()).toMatchObject({ type: 'completed', text: '2' });
  const third = await send('three', { agent: 'other' });
  const asked: string[] = [];
  for await (const event of third.events()) {
    if (event.type !== 'approval_requested') continue;
    asked.push(event.callId);
    await session.deny(event.callId);
  }
  expect(asked).toHaveLength(1);
});

// FA-100, FA-101
test('a session that keeps no transcript begins each turn with its prompt alone; a turn tells its own messages', async () => {
  const call = toolCall('echo', { text: 'x' });
  const { session, send, told, requests } = place.open([call, text('done')], { keepTranscript: false });
  await (await send('one')).result();
  const { messages: own = [] } = await (await send('two')).result();
  expect(requests.map(({ messages }) => messages.length)).toEqual([1, 3, 1, 3]);
  expect(own.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(requests.at(-1)?.messages).toEqual(own.slice(0, 3));
  await idle(session, 2);
  expect(await told()).toEqual([]);
  expect((await session.state()).usage.modelCalls).toBe(4);
});

test('sessions are listed by their last use, and not by their beginning', async () => {
  const { session: old, send } = place.open([text('one'), text('two')]);
  await (await send('one')).result();
  const { session: newer, send: sendToNewer } = place.open([text('one')]);
  await (await sendToNewer('one')).result();
  await (await send('two')).result();
  const ids: string[] = [];
  await vi.waitFor(async () => {
    ids.length = 0;
    for await (const { workflowId } of lastUsed(place.client.client, false)) ids.push(workflowId);
    const [first, second] = [ids.indexOf(old.sessionId), ids.indexOf(newer.sessionId)];
    expect(first).toBeGreaterThanOrEqual(0);
    expect(second).toBeGreaterThan(first);
  }, PATIENCE);
});

test('its title and metadata are in its state and in the list of workflows', async () => {
  const { session, send } = place.open([text('hello')], { title: 'Orders', metadata: { customer: 42 } });
  await send('one');
  await session.setTitle('Refunds');
  await idle(session, 1);
  expect(await session.state()).toMatchObject({ title: 'Refunds', metadata: { customer: 42 } });
  const { memo } = await place.client.client.workflow.getHandle(session.sessionId).describe();
  expect(memo?.['holdfast.session']).toEqual({ v: 1, title: 'Refunds', metadata: { customer: 42 } });
  await expect(session.setTitle('')).rejects.toThrow(/title: expected a text/);
});
