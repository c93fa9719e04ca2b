import { expect, test, vi } from 'vitest';
import { forkOf } from '../../src/cli/sessions/fork-session.js';
import { lackOf, messagesOf, mustAnswer, readSession } from '../../src/cli/sessions/read-session.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { idle, PATIENCE, sessionPlace, tested } from './session-place.js';

const place = sessionPlace();
const call = toolCall('echo', { text: 'x' });

test('a fork begins with the messages up to a place, and both go on by themselves', async () => {
  const { session, send, told, model, requests } = place.open([
    ...[call, text('one'), text('two'), text('three')],
  ]);
  await (await send('1')).result();
  await (await send('2')).result();
  const [, asked] = await session.transcript();
  const fork = await session.fork({ upTo: asked?.id ?? '' }, { title: 'Elsewhere' });
  const forked = tested(fork, model, requests);
  expect(await forked.told()).toEqual(['u: 1', 'a: ', 'ok']);
  expect(await fork.state()).toMatchObject({
    ...{ title: 'Elsewhere', turns: 0, forkedFrom: { sessionId: session.sessionId, at: asked?.id } },
  });
  await (await forked.send('other')).result();
  await (await send('3')).result();
  expect(await forked.told()).toEqual(['u: 1', 'a: ', 'ok', 'u: other', 'a: one']);
  expect(await told()).toEqual([...['u: 1', 'a: ', 'ok', 'a: one', 'u: 2', 'a: two', 'u: 3', 'a: three']]);
});

test('a fork takes what is there while a turn runs; an id that is taken, or a message that is not there, is refused', async () => {
  const { session, send, told } = place.open([text('one'), reply(toolCall('hold')), text('two')]);
  await (await send('1')).result();
  await send('2');
  await place.held.running();
  const whole = await session.fork();
  expect((await whole.transcript()).map(({ role }) => role)).toEqual(['user', 'assistant']);
  await expect(session.fork('all', { sessionId: whole.sessionId })).rejects.toThrow(/There is a session/);
  await expect(session.fork({ before: 'nobody' })).rejects.toThrow(
    /No message of the session has that id: nobody/,
  );
  await expect(session.rollback('nothing')).rejects.toThrow(/has a turn that runs or waits/);
  place.held.release();
  await idle(session, 2);
  expect(await told()).toEqual(['u: 1', 'a: one', 'u: 2', 'a: ', 'ok', 'a: two']);
});

test('a rollback takes the session back, and the next turn sees no more than what is left', async () => {
  const { session, send, told, requests } = place.open([call, text('one'), text('two'), text('again')]);
  await (await send('1')).result();
  await (await send('2')).result();
  const messages = await session.transcript();
  expect(await session.rollback({ before: messages[4]?.id ?? '' })).toBe(4);
  await (await send('2, again')).result();
  expect(await told()).toEqual(['u: 1', 'a: ', 'ok', 'a: one', 'u: 2, again', 'a: two']);
  expect(requests.at(-1)?.messages).toHaveLength(5);
  expect(await session.rollback({ before: messages[2]?.id ?? '' })).toBe(1);
  await session.clear();
  expect(await told()).toEqual([]);
  const { name } = place.model([text('anew')]);
  await (await session.send('tester', '3', { model: name })).result();
  expect(await told()).toEqual(['u: 3', 'a: anew']);
  expect((await session.turns()).map(({ from, count }) => [from, count])).toEqual([
    ...[
      [0, 4],
      [4, 2],
      [4, 2],
      [0, 2],
    ],
  ]);
  await expect(session.rollback('some' as 'all')).rejects.toThrow(/keep: expected "all" or "nothing"/);
});

test('a session that has ended is read and forked from its history', async () => {
  const limits = { turns: 9 };
  const { session, send, model, requests } = place.open([call, text('one'), text('two'), text('three')], {
    ...{ title: 'Once', limits },
  });
  await (await send('1')).result();
  await (await send('2')).result();
  const [, asked] = await session.transcript();
  await session.close();
  const described = await vi.waitFor(async () => {
    const { workflow } = place.client.client;
    const execution = await workflow.getHandle(session.sessionId).describe();
    expect(execution.status.name).toBe('COMPLETED');
    return execution;
  }, PATIENCE);
  const read = await readSession(place, described);
  expect(lackOf(read)).toBeUndefined();
  const { base } = read.messages;
  expect((await messagesOf(place, described, base)).map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'assistant', 'user', 'assistant'],
  ]);
  const [whole, part] = await Promise.all([
    forkOf(place, described, read, 'all', { title: 'Whole' }),
    forkOf(place, described, read, { upTo: asked?.id ?? '' }, {}),
  ]);
  const { told, send: sendToPart } = tested(place.client.session(part), model, requests);
  expect(await told()).toEqual(['u: 1', 'a: ', 'ok']);
  expect(await place.client.session(part).state()).toMatchObject({
    ...{ title: 'Once', limits, forkedFrom: { sessionId: session.sessionId, at: asked?.id } },
  });
  await (await sendToPart('go on')).result();
  expect(await told()).toEqual(['u: 1', 'a: ', 'ok', 'u: go on', 'a: one']);
  expect(await place.client.session(whole).state()).toMatchObject({ title: 'Whole', messageCount: 6 });
  await expect(forkOf(place, described, read, 'all', { id: whole })).rejects.toThrow(/There is a session/);
  await expect(forkOf(place, described, read, { before: 'nobody' }, {})).rejects.toThrow(
    /has that id: nobody/,
  );
});

test('where nobody serves a session, what needs a worker says so', async () => {
  const sessionId = `nobody-${Date.now()}`;
  const taskQueue = 'nobody-here';
  const handle = await place.client.client.workflow.start('holdfast.session', {
    ...{ workflowId: sessionId, taskQueue, args: [{ v: 1 }] },
  });
  const described = await handle.describe();
  expect(await messagesOf(place, described, (await readSession(place, described)).messages.base)).toEqual([]);
  await expect(mustAnswer(place, described, 'It is needed.')).rejects.toThrow(
    /No worker of the session nobody-\d+ answers\. It is needed\.\nStart one: holdfast worker <module> --task-queue nobody-here/,
  );
  await handle.terminate();
});
