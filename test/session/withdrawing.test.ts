import { expect, test } from 'vitest';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { idle, sessionPlace } from './session-place.js';

const place = sessionPlace();
const hold = reply(toolCall('hold'));

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
