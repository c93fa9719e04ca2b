import { expect, test, vi } from 'vitest';
import { sessionFacts } from '../../src/cli/sessions/session-facts.js';
import { isSummary } from '../../src/shared/compaction/exchanges.js';
import { type Message, textOf } from '../../src/shared/messages.js';
import type { ModelRequest } from '../../src/shared/model-port.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import { fault, reply, type Script, type ScriptEntry, text, toolCall } from '../../src/testing/index.js';
import { agentWith, heldReply } from '../turn/agents.js';
import { idle, PATIENCE, recorded, sessionPlace, tested } from './session-place.js';

const place = sessionPlace((model) => [
  agentWith([], { name: 'small', model, compaction: { window: 2000 } }),
  agentWith([], { name: 'hurried', model, compaction: { timeout: 700 } }),
]);
const long = (name: string) => `${name} `.padEnd(3200, 'x');
const asksSummary = ({ instructions }: ModelRequest) => instructions.startsWith('You write the memory');
const lastText = (messages: readonly Message[]) => textOf(messages.at(-1) as Message).replace(/ x+$/, '');

type Answer = (messages: readonly Message[], request: ModelRequest) => ScriptEntry | Promise<ScriptEntry>;
const summary = (count = 1): Answer => {
  let written = count - 1;
  return () => text(`Summary ${++written}.`);
};
const answered: Answer = (messages) => text(`to ${lastText(messages)}`);

/** Answers what is said by what was said, and writes summaries, numbered. */
function script(answer: Answer = answered, summarise: Answer = summary()): Script {
  const entry: Answer = (messages, request) =>
    asksSummary(request) ? summarise(messages, request) : answer(messages, request);
  return Array.from({ length: 100 }, () => entry);
}

/** Texts of messages, shortened, with a `*` before a summary. */
const shown = (messages: readonly Message[]) => {
  expect(transcriptProblems(messages)).toEqual([]);
  return messages.map((message) => {
    const told = textOf(message);
    return isSummary(message) ? `*${told.split('\n').at(-1)}` : told.replace(/ x+$/, '');
  });
};
const given = async (session: { transcript(o: { given: true }): Promise<Message[]> }) =>
  shown(await session.transcript({ given: true }));

// FA-106 over turns
test('what a turn has compacted the next one is given compacted; the whole stays readable, and can be gone back to', async () => {
  const { session, send, requests } = place.open(script());
  const ask = async (name: string) => await (await send(long(name), { agent: 'small' })).result();
  await ask('one');
  const second = await ask('two');
  expect(second.steps?.flatMap(({ compactions = [] }) => compactions)).toMatchObject([{ method: 'summary' }]);
  await idle(session, 2);
  expect(await given(session)).toEqual(['*Summary 1.', 'two', 'to two']);
  const third = await (await send('three', { agent: 'small' })).result();
  expect(third.steps?.flatMap(({ compactions = [] }) => compactions)).toEqual([]);
  expect(shown(requests.at(-1)?.messages ?? [])).toEqual(['*Summary 1.', 'two', 'to two', 'three']);
  await idle(session, 3);
  const whole = await session.transcript();
  expect(shown(whole)).toEqual(['one', 'to one', 'two', 'to two', 'three', 'to three']);
  const covers = { from: whole[0]?.id, to: whole[1]?.id, count: 2 };
  expect((await session.state()).compacted).toMatchObject({ messageCount: 5, covers });
  expect((await session.turns()).map(({ from, count }) => [from, count])).toEqual([
    ...[
      [0, 2],
      [2, 2],
      [4, 2],
    ],
  ]);

  // A summary is folded into the next one: FA-106
  await ask('four');
  await idle(session, 4);
  expect(await given(session)).toEqual(['*Summary 2.', 'three', 'to three', 'four', 'to four']);
  expect((await session.state()).compacted?.covers).toMatchObject({ from: whole[0]?.id, count: 4 });
  expect(await session.transcript()).toHaveLength(8);

  const after = (await session.transcript())[6]?.id ?? '';
  const fork = await session.fork({ upTo: after });
  expect(await given(fork)).toEqual(['*Summary 2.', 'three', 'to three', 'four']);
  expect(await fork.transcript()).toHaveLength(7);
  expect(await session.rollback({ upTo: whole[3]?.id ?? '' })).toBe(4);
  expect(await given(session)).toEqual(['one', 'to one', 'two', 'to two']);
  expect((await session.state()).compacted).toBeUndefined();
  expect(await given(fork)).toEqual(['*Summary 2.', 'three', 'to three', 'four']);
});

test('what was compacted is carried on into new runs of the session', async () => {
  const { session, send } = place.open(script(), { messagesPerRun: 2 });
  await (await send(long('one'), { agent: 'small' })).result();
  await (await send(long('two'), { agent: 'small' })).result();
  await idle(session, 2);
  await (await send('three', { agent: 'small' })).result();
  await idle(session, 3);
  expect(await given(session)).toEqual(['*Summary 1.', 'two', 'to two', 'three', 'to three']);
  expect(await session.transcript()).toHaveLength(6);
});

// FA-104, FA-105
test('an idle session is compacted on request, between turns; a summary that comes to nothing changes nothing', async () => {
  let asked = '';
  const summaries: Answer[] = [
    () => text('The order is 42.'),
    () => fault({ status: 400, body: { error: { message: 'no summary today' } } }),
    summary(3),
  ];
  const { session, send, model, requests } = place.open(
    script(
      (messages) => text(`to ${lastText(messages)}`),
      (messages, request) => {
        asked = textOf(messages.at(-1) as Message);
        return (summaries.shift() ?? summary())(messages, request);
      },
    ),
  );
  for (const name of ['one', 'two', 'three', 'four']) await (await send(long(name))).result();
  await idle(session, 4);
  const before = await session.state();
  expect(await session.compact({ focus: 'the order ids' })).toMatchObject({
    ...{ status: 'done', record: { trigger: 'asked', method: 'summary', covers: { count: 6 } } },
  });
  expect(asked).toContain('Above all keep: the order ids');
  expect(await given(session)).toEqual(['*The order is 42.', 'four', 'to four']);
  const { usage, messageCount, turns } = await session.state();
  expect({ messageCount, turns, calls: usage.modelCalls }).toEqual({ messageCount: 8, turns: 4, calls: 5 });
  expect(before.usage.modelCalls).toBe(4);

  await (await send(long('five'))).result();
  await idle(session, 5);
  expect(requests.at(-1)?.messages).toHaveLength(4);
  expect(await session.compact()).toMatchObject({
    ...{ status: 'unchanged', problem: expect.stringMatching(/^Model[.].*no summary today/s) },
  });
  expect((await given(session)).at(0)).toBe('*The order is 42.');
  expect(await session.compact()).toMatchObject({ status: 'done', record: { covers: { count: 9 } } });
  expect(await given(session)).toEqual(['five', '*Summary 3.']);
  expect(await session.transcript()).toHaveLength(10);
  expect(await recorded(place.client, session.sessionId)).toMatchObject({
    whole: await session.transcript(),
    given: await session.transcript({ given: true }),
  });

  const fork = tested(await session.fork(), model, requests);
  await expect(fork.session.compact()).rejects.toThrow(/No turn has run yet: say by whose model/);
  await session.rollback({ before: (await session.transcript())[4]?.id ?? '' });
  const { failedCalls: _tries, ...spent } = (await session.state()).usage;
  const described = await place.client.client.workflow.getHandle(session.sessionId).describe();
  expect(await sessionFacts(place.client.client, described)).toMatchObject({ usage: spent, messageCount: 4 });
  expect((await recorded(place.client, session.sessionId)).whole).toEqual(await session.transcript());
  await session.clear();
  expect(await recorded(place.client, session.sessionId)).toMatchObject({ whole: [], given: [] });
  await expect(session.compact()).rejects.toThrow(/The session has no messages/);
  await expect(session.compact({ focus: 1 as never })).rejects.toThrow(/focus: expected a text/);
});

test('a compaction between turns ends by an interrupt, and what was sent meanwhile has its turn', async () => {
  const written = heldReply('late');
  const { session, send } = place.open(script(answered, written.entry));
  for (const name of ['one', 'two', 'three']) await (await send(long(name))).result();
  await idle(session, 3);
  const compacted = session.compact();
  await written.asked;
  expect(await session.state()).toMatchObject({ phase: 'idle', busy: true });
  await expect(session.rollback('nothing')).rejects.toThrow(/runs or waits/);
  expect(await session.compact()).toMatchObject({ status: 'busy' });
  const next = await send('four');
  await session.interrupt();
  expect(await compacted).toEqual({ v: 1, status: 'unchanged', problem: 'It was interrupted.' });
  written.answer();
  expect((await next.result()).text).toBe('to four');
  await idle(session, 4);
  expect(await given(session)).toHaveLength(8);
});

test('a compaction between turns keeps to the limits of the session, and each try of it to the time that its agent gives', async () => {
  const written = [heldReply('late').entry, summary()];
  const { session, send, requests } = place.open(
    script(answered, (messages, request) => (written.shift() ?? summary())(messages, request)),
  );
  for (const name of ['one', 'two', 'three']) await (await send(long(name), { agent: 'hurried' })).result();
  await idle(session, 3);
  await session.setLimits({ tokens: 1, turns: 1 });
  expect(await session.compact()).toEqual({
    ...{
      v: 1,
      status: 'unchanged',
      problem: expect.stringMatching(/may use 1 tokens, and has used \d+. Raise/),
    },
  });
  expect(requests.filter(asksSummary)).toEqual([]);
  await session.setLimits({ tokens: null });
  expect(await session.compact()).toMatchObject({ status: 'done', record: { method: 'summary' } });
  expect(requests.filter(asksSummary).length).toBeGreaterThan(1);
  expect((await session.state()).usage.failedCalls).toBeGreaterThan(0);
});

test('the running turn compacts; the session does it where the turn has no more model call', async () => {
  const held = heldReply('to three');
  const { session, send } = place.open(
    script((messages, request) => {
      const last = lastText(messages);
      if (last === 'hold') return reply(toolCall('hold'));
      return last === 'three' ? held.entry() : answered(messages, request);
    }),
  );
  for (const name of ['one', 'two']) await (await send(long(name))).result();
  await idle(session, 2);
  const holding = await send('hold');
  await place.held.running();
  expect(await session.compact()).toMatchObject({ status: 'passed_on', turnId: holding.turnId });
  place.held.release();
  await holding.result();
  await idle(session, 3);
  expect((await given(session)).slice(0, 2)).toEqual(['*Summary 1.', 'hold']);

  const last = await send('three');
  await held.asked;
  expect(await session.compact({ focus: 'x' })).toMatchObject({ status: 'passed_on' });
  held.answer();
  await last.result();
  await idle(session, 4);
  await vi.waitFor(async () => {
    const now = await given(session);
    expect(now.filter((each) => each.startsWith('*'))).toEqual(['*Summary 2.']);
  }, PATIENCE);
  expect(await session.transcript()).toHaveLength(10);
});

test('what a turn has compacted is kept, whatever way it ends', async () => {
  const { session, send } = place.open(
    script((messages) =>
      lastText(messages) === 'one' ? answered(messages, {} as ModelRequest) : toolCall('hold'),
    ),
  );
  await (await send(long('one'))).result();
  const turn = await send('two');
  await place.held.running();
  await session.compact({ id: 'c1' });
  await vi.waitFor(async () => expect(await turn.receipt('c1')).toMatchObject({ kind: 'compact' }), PATIENCE);
  place.held.release();
  await place.held.running();
  await place.client.client.workflow.getHandle(turn.turnId).terminate('enough');
  await idle(session, 2);
  const now = await given(session);
  expect(now.filter((each) => each.startsWith('*'))).toEqual(['*Summary 1.']);
  expect(now).not.toContain('one');
  expect(await session.transcript()).toHaveLength(7);
});
