import { expect, test } from 'vitest';
import type { SessionEvent } from '../../src/client/session-events.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { idle, sessionPlace } from './session-place.js';

const place = sessionPlace();
const call = toolCall('echo', { text: 'x' });

test('events go on over turns and runs, to the end of the session', async () => {
  const script = [call, text('one'), text('two'), text('three')];
  const { session, send } = place.open(script, { messagesPerRun: 1 });
  await send('1', { id: 'm1' });
  const events: SessionEvent[] = [];
  for await (const each of session.events()) {
    events.push(each);
    if (each.event.type !== 'turn_ended') continue;
    const ended = events.filter(({ event }) => event.type === 'turn_ended').length;
    if (ended < 3) await send(`${ended + 1}`, { id: `m${ended + 1}` });
    else await session.close();
  }
  const prompts = events.flatMap(({ event }) => (event.type === 'turn_started' ? event.prompt : []));
  expect(prompts).toEqual(['1', '2', '3']);
  const recorded = events.filter(({ event }) => event.type !== 'text_delta');
  expect(new Set(recorded.map(({ offset }) => offset)).size).toBe(recorded.length);

  // From another process, and with each offset.
  const again = place.client.session(session.sessionId);
  for (const { offset } of [recorded[3], recorded.at(-2), recorded.at(-1)].flatMap((each) => each ?? [])) {
    const rest: string[] = [];
    for await (const each of again.events({ after: offset })) {
      if (each.event.type !== 'text_delta') rest.push(each.offset);
    }
    const index = recorded.findIndex((each) => each.offset === offset);
    expect(rest).toEqual(recorded.slice(index + 1).map((each) => each.offset));
  }
});

test('a watcher whose signal fires while a turn runs stops, of the session and of the turn', async () => {
  const { session, send } = place.open([reply(toolCall('hold')), text('one')]);
  const turn = await send('1');
  await place.held.running();
  for (const watched of [session, turn]) {
    const stop = new AbortController();
    const seen: string[] = [];
    const events: AsyncIterable<unknown> = watched.events({ signal: stop.signal });
    for await (const event of events) {
      seen.push(JSON.stringify(event));
      if (seen.at(-1)?.includes('tool_started')) setImmediate(() => stop.abort());
    }
    expect(seen.join()).toContain('tool_started');
  }
  place.held.release();
});

test('a watcher stops when its signal fires; the events of a turn that waits come once it has begun', async () => {
  const { session, send } = place.open([reply(toolCall('hold')), text('one'), text('two')]);
  await send('1');
  await place.held.running();
  const second = await send('2');
  const stop = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { event } of session.events({ signal: stop.signal })) seen.push(event.type);
  })();
  const types: string[] = [];
  const waiting = (async () => {
    for await (const event of second.events()) types.push(event.type);
  })();
  place.held.release();
  await waiting;
  await idle(session, 2);
  stop.abort();
  await watching;
  expect(types.filter((type) => type !== 'text_delta')).toEqual([
    ...['turn_started', 'model_started', 'message', 'turn_ended'],
  ]);
  expect(seen.filter((type) => type === 'turn_started').length).toBeGreaterThanOrEqual(1);
  await expect(place.client.session('nobody').events().next()).rejects.toThrow(/There is no session/);
  await expect(session.events({ after: 'garbage' }).next()).rejects.toThrow(/"garbage" is no offset/);
});

test('a compaction between turns is told after the turn before it, over runs, and can be come back from', async () => {
  const entry = (_: unknown, { instructions }: ModelRequest) =>
    text(instructions.startsWith('You write the memory') ? 'All was told.' : 'x'.repeat(2000));
  const script = Array.from({ length: 30 }, () => entry);
  const { session, send } = place.open(script, { messagesPerRun: 3 });
  for (const prompt of ['1', '2', '3'])
    await (await send(prompt.repeat(2000), { id: `m${prompt}` })).result();
  await idle(session, 3);
  const events: SessionEvent[] = [];
  const watching = (async () => {
    for await (const each of session.events()) if (each.event.type !== 'text_delta') events.push(each);
  })();
  for (const _ of [1, 2]) expect(await session.compact()).toMatchObject({ status: 'done' });
  const turns = await session.turns();
  expect(turns.map(({ compactions = [] }) => compactions.length)).toEqual([0, 0, 2]);
  await (await send('4', { id: 'm4' })).result();
  await idle(session, 4);
  await session.close();
  await watching;

  const told = events.map(({ turnId, event }) => `${turnId.split('/').at(-1)} ${event.type}`);
  const ended = told.indexOf('m3 turn_ended');
  expect(told.slice(ended, ended + 4)).toEqual([
    ...['m3 turn_ended', 'm3 compaction', 'm3 compaction', 'm4 turn_started'],
  ]);
  expect(events[ended + 1]?.event).toMatchObject({
    trigger: 'asked',
    method: 'summary',
    covers: { count: 4 },
  });
  // From the last run alone, which was given them.
  for (const at of [ended - 1, ended, ended + 1, ended + 2]) {
    const rest: string[] = [];
    for await (const { offset, event } of session.events({ after: events[at]?.offset ?? '' }))
      if (event.type !== 'text_delta') rest.push(offset);
    expect(rest).toEqual(events.slice(at + 1).map(({ offset }) => offset));
  }
});
