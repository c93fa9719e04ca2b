import { expect, test, vi } from 'vitest';
import { textOf } from '../../src/shared/messages.js';
import { reply, type Script, text, toolCall } from '../../src/testing/index.js';
import { idle, PATIENCE, sessionPlace } from './session-place.js';

const place = sessionPlace();
const hold = reply(toolCall('hold'));

test('a steer joins the running turn, and comes back as its turn where none runs', async () => {
  const { session, send, told } = place.open([hold, text('left it is'), text('right it is')]);
  const first = await send('go');
  await place.held.running();
  const steer = await send('left', { whileBusy: 'steer', id: 's1' });
  expect(steer.sent).toMatchObject({ status: 'steered', turnId: first.turnId });
  await vi.waitFor(async () => expect(await first.receipt('s1')).toMatchObject({ kind: 'steer' }), PATIENCE);
  place.held.release();
  expect(await steer.result()).toMatchObject({ text: 'left it is' });
  await idle(session, 1);
  expect((await session.steer('right')).sent).toMatchObject({ status: 'started' });
  await idle(session, 2);
  expect(await told()).toEqual([
    ...['u: go', 'a: ', 'ok', 'u: left', 'a: left it is', 'u: right', 'a: right it is'],
  ]);
});

// FA-060
test('what a steer was too late for opens the next turn, in order, each once', async () => {
  const { session, send, told } = place.open([hold, text('both')]);
  const first = await send('go');
  await place.held.running();
  await send('left', { whileBusy: 'steer', id: 's1' });
  await place.client.turn(first.turnId).steer('right', { id: 's2' });
  await session.interrupt('enough', { by: 'Ann' });
  expect(await first.result()).toMatchObject({ type: 'interrupted', intervention: { by: 'Ann' } });
  await idle(session, 2);
  expect(await session.receipt('s1')).toMatchObject({ turnId: `${session.sessionId}/s1`, status: 'queued' });
  expect(await told()).toEqual(['u: go', 'a: ', 'interrupted', 'u: leftright', 'a: both']);
  expect((await session.turns()).map(({ outcome }) => outcome)).toEqual(['interrupted', 'completed']);
});

test('a message that replaces interrupts the running turn and goes before those that wait', async () => {
  const { session, send, told } = place.open([hold, text('new'), text('queued')]);
  await send('old');
  await place.held.running();
  await send('later');
  await send('no, this', { whileBusy: 'replace' });
  await idle(session, 3);
  expect(await told()).toEqual([
    ...['u: old', 'a: ', 'interrupted', 'u: no, this', 'a: new', 'u: later', 'a: queued'],
  ]);
});

test('one that replaces another that has not begun interrupts that, too; steers that were too late open it', async () => {
  const slow: Script[number] = (messages) => {
    const last = messages.at(-1);
    const isLast = last?.role === 'user' && textOf(last) === 'c';
    return isLast ? text('c') : { ...reply(text('late')), delayMs: Number.POSITIVE_INFINITY };
  };
  const { session, send, told } = place.open([hold, slow]);
  await send('a');
  await place.held.running();
  await send('steer', { whileBusy: 'steer' });
  const b = await send('b', { whileBusy: 'replace' });
  const c = await send('c', { whileBusy: 'replace' });
  expect(await c.result()).toMatchObject({ type: 'completed', text: 'c' });
  expect(await b.result()).toMatchObject({ type: 'interrupted' });
  await idle(session, 3);
  const [first, ...rest] = (await told()).slice(3);
  expect(first).toBe('u: steerb');
  expect(rest.slice(-2)).toEqual(['u: c', 'a: c']);
});

test('a message that waits is taken back: its turn never begins, whoever waits for it hears so, and the others keep their order', async () => {
  const { session, send, told } = place.open([hold, text('one'), text('three')], { messagesPerRun: 4 });
  const first = await send('1', { id: 'm1' });
  await place.held.running();
  const second = await send('2', { id: 'm2' });
  const third = await send('3', { id: 'm3' });
  const { turnId } = second;
  const waiting = expect(second.result()).rejects.toThrow(`The message of the turn ${turnId} was withdrawn.`);
  expect(await session.withdraw('m2')).toEqual({ v: 1, status: 'withdrawn', turnId });
  await waiting;
  expect(await session.withdraw('m2')).toEqual({ v: 1, status: 'withdrawn', turnId });
  expect(await session.receipt('m2')).toMatchObject({ status: 'withdrawn', turnId });
  expect((await session.state()).queue).toMatchObject([{ id: 'm3' }]);

  expect(await session.withdraw('m1')).toEqual({ v: 1, status: 'started', turnId: first.turnId });
  expect(await session.withdraw('nobody')).toEqual({ v: 1, status: 'unknown' });
  await expect(session.withdraw('')).rejects.toThrow(/id: expected/);
  // Sent again it counts once, and is still withdrawn.
  const again = await send('2', { id: 'm2' });
  expect(again.sent).toMatchObject({ duplicate: true, status: 'withdrawn' });

  place.held.release();
  await third.result();
  await idle(session, 2);
  expect(await told()).toEqual(['u: 1', 'a: ', 'ok', 'a: one', 'u: 3', 'a: three']);
  // The session has gone on in a new run since.
  await expect(again.result()).rejects.toThrow('was withdrawn');
  expect(await session.withdraw('m3')).toMatchObject({ status: 'started', turnId: third.turnId });
});

test('a session that is closed ends once the last message that waits is withdrawn; a steer that joined is too late', async () => {
  const { session, send } = place.open([hold, text('one')]);
  const first = await send('1');
  await place.held.running();
  await send('2', { id: 'm2' });
  await send('left', { id: 's1', whileBusy: 'steer' });
  await session.close();
  expect(await session.withdraw('s1')).toEqual({ v: 1, status: 'started', turnId: first.turnId });
  expect(await session.withdraw('m2')).toMatchObject({ status: 'withdrawn' });
  place.held.release();
  const outcome = await place.client.client.workflow.getHandle(session.sessionId).result();
  expect(outcome).toMatchObject({ turns: 1 });
});
