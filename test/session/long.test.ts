import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { localArtifacts } from '../../src/artifacts/local-artifacts.js';
import { textOf } from '../../src/shared/messages.js';
import { reply, type Script, text, toolCall } from '../../src/testing/index.js';
import { long } from '../support/long.js';
import { idle, PATIENCE, recorded, sessionPlace } from './session-place.js';

const place = sessionPlace();
const hold = reply(toolCall('hold'));

/** Answers each prompt by its words. */
function echoing(turns: number): Script {
  return Array.from({ length: turns }, (): Script[number] => (messages) => {
    const last = messages.at(-1);
    return text(`re: ${last ? textOf(last) : ''}`);
  });
}

async function runsOf(sessionId: string): Promise<number> {
  const { workflow } = place.client.client;
  let runs = 0;
  let runId: string | undefined = (await workflow.getHandle(sessionId).fetchHistory()).events?.[0]
    ?.workflowExecutionStartedEventAttributes?.firstExecutionRunId as string;
  while (runId) {
    const { events } = await workflow.getHandle(sessionId, runId).fetchHistory();
    runs += 1;
    runId = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return runs;
}

test('twenty turns over many runs, sent with duplicates: none is lost, doubled or out of order', async () => {
  const { session, send, told } = place.open(echoing(20), { messagesPerRun: 4, title: 'Long' });
  const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
  await send('m0', { id: 'm0' });
  for (const id of ids.slice(1)) {
    const again = send(id, { id });
    await Promise.all([send(id, { id }), again]);
    if (id === 'm7') await session.setMetadata({ seventh: true });
  }
  await idle(session, 20);
  expect(await told()).toEqual(ids.flatMap((id) => [`u: ${id}`, `a: re: ${id}`]));
  expect((await recorded(place.client, session.sessionId)).whole).toEqual(await session.transcript());
  const turns = await session.turns();
  expect(turns.map(({ turnId }) => turnId)).toEqual(ids.map((id) => `${session.sessionId}/${id}`));
  expect(turns.at(-1)).toMatchObject({ from: 38, count: 2, outcome: 'completed' });
  expect(await session.state()).toMatchObject({ title: 'Long', usage: { modelCalls: 20 } });
  expect(await runsOf(session.sessionId)).toBeGreaterThan(8);
  const { memo } = await place.client.client.workflow.getHandle(session.sessionId).describe();
  expect(memo?.['holdfast.session']).toMatchObject({ title: 'Long', metadata: { seventh: true } });
});

test('a turn goes on while its session goes on in new runs, and both hear of each other', async () => {
  const { session, send, told } = place.open([hold, text('done'), text('next')], { messagesPerRun: 1 });
  const first = await send('one', { id: 'm1' });
  await place.held.running();
  await send('left', { whileBusy: 'steer', id: 's1' });
  const second = await send('two', { id: 'm2' });
  await session.steer('right', { id: 's2' });
  await vi.waitFor(async () => expect(await runsOf(session.sessionId)).toBeGreaterThanOrEqual(4), PATIENCE);
  expect((await send('two', { id: 'm2' })).sent).toMatchObject({ duplicate: true });
  expect((await session.state()).running).toMatchObject({ turnId: first.turnId });
  expect((await recorded(place.client, session.sessionId)).running).toBe(first.turnId);
  place.held.release();
  expect(await first.result()).toMatchObject({ type: 'completed' });
  expect(await second.result()).toMatchObject({ type: 'completed', text: 'next' });
  await idle(session, 2);
  expect(await told()).toEqual([
    ...['u: one', 'a: ', 'ok', 'u: left', 'u: right', 'a: done', 'u: two', 'a: next'],
  ]);
});

test.runIf(long)(
  'a turn that was terminated after its session went on in a new run holds up nobody who writes',
  async () => {
    const { session, send, told } = place.open([hold, text('next')], { messagesPerRun: 1 });
    const first = await send('one');
    await place.held.running();
    await send('two');
    await vi.waitFor(async () => expect(await runsOf(session.sessionId)).toBeGreaterThanOrEqual(3), PATIENCE);
    await place.client.client.workflow.getHandle(first.turnId).terminate('by hand');
    await send('three', { whileBusy: 'steer', id: 's1' });
    await idle(session, 3);
    expect((await session.turns()).map(({ outcome }) => outcome)).toEqual([
      ...['terminated', 'completed', expect.any(String)],
    ]);
    expect((await told()).slice(0, 5)).toEqual(['u: one', 'a: ', 'interrupted', 'u: three', 'a: next']);
  },
);

test.runIf(long)(
  'a session whose artifacts are lost keeps what its turns add, and goes on once it is cleared',
  async () => {
    const taskQueue = `lost-${randomUUID()}`;
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-lost-'));
    const big = text(randomBytes(200_000).toString('hex'));
    const { session, send } = place.open([big], { taskQueue });
    const use = async () => {
      await (await send('one')).result();
      await session.state();
      await rm(folder, { recursive: true });
      const second = await send('two');
      await second.begun();
      await session.interrupt();
      await idle(session, 2);
      expect(await session.state()).toMatchObject({ messageCount: 4, lastTurn: { outcome: 'interrupted' } });
      await expect(session.transcript()).rejects.toThrow(/can't be read\. The artifact .* is not/);
      await session.clear();
      expect(await (await send('three')).result()).toMatchObject({ type: 'completed' });
      expect(await session.transcript()).toHaveLength(2);
    };
    await place.serve(taskQueue, use, localArtifacts(folder));
  },
);

test.runIf(long)(
  'a long transcript goes into the artifact store; turns, clients and forks read it from there',
  async () => {
    const long = (bytes: number) => text(randomBytes(bytes / 2).toString('hex'));
    const { session, send, told, requests } = place.open([long(200_000), long(400_000), text('short')]);
    for (const prompt of ['one', 'two', 'three']) await (await send(prompt)).result();
    await idle(session, 3);
    const messages = await told();
    expect(messages.map(({ length }) => length)).toEqual([6, 200_003, 6, 400_003, 8, 8]);
    expect(requests[2]?.messages).toHaveLength(5);
    const fork = await session.fork({ before: (await session.transcript())[4]?.id ?? '' });
    expect((await fork.transcript()).map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'user', 'assistant'],
    ]);
    const state = await place.client.client.workflow.getHandle(session.sessionId).query('messages');
    expect(JSON.stringify(state).length).toBeLessThan(2000);
  },
);
