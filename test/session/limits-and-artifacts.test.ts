import { expect, test } from 'vitest';
import { z } from 'zod';
import { SessionLimitReached } from '../../src/client.js';
import { defineTool } from '../../src/define/define-tool.js';
import { artifact, artifactInput } from '../../src/index.js';
import { reply, text, toolCall } from '../../src/testing/index.js';
import { agentWith } from '../turn/agents.js';
import { idle, recorded, sessionPlace, tested } from './session-place.js';

const draw = defineTool({
  name: 'draw',
  description: 'Draws.',
  input: z.object({ what: z.string() }),
  run: ({ what }) => artifact({ name: 'chart.txt', data: what, mediaType: 'text/plain' }),
});
const read = defineTool({
  name: 'read',
  description: 'Reads.',
  input: z.object({ from: artifactInput() }),
  run: ({ from }) => from.text(),
});
const place = sessionPlace((model) => [
  agentWith([draw, read], { name: 'draws', model }),
  agentWith([], { name: 'small', model, limits: { tokens: 50 } }),
]);
const usage = { inputTokens: 90, outputTokens: 10 };
const call = toolCall('echo', { text: 'x' });

test('a session that has used up its tokens takes no message until its limit is raised; a turn is given what is left', async () => {
  const script = [reply(call, { usage }), reply(call, { usage }), reply(text('done'), { usage })];
  const { session, send } = place.open(script, { limits: { tokens: 150 } });
  const first = await (await send('one', { limits: { tokens: 10_000 } })).result();
  expect(first).toMatchObject({
    ...{ type: 'budget_exceeded', exceeded: { limit: 'tokens', allowed: 150, spent: 200, of: 'session' } },
  });
  await idle(session, 1);
  const exceeded = { limit: 'tokens', allowed: 150, spent: 200, of: 'session' };
  expect(await session.state()).toMatchObject({ limits: { tokens: 150 }, exceeded });
  const refused = send('two', { id: 'two' });
  await expect(refused).rejects.toThrow(/may use 150 tokens, and has used 200. Raise that: setLimits/);
  await expect(refused).rejects.toBeInstanceOf(SessionLimitReached);
  expect(await session.receipt('two')).toMatchObject({ status: 'refused', exceeded });

  await session.setLimits({ tokens: 1000 });
  const { name } = place.model(Array.from({ length: 4 }, () => reply(text('done'), { usage })));
  const second = await session.send('tester', 'two', { id: 'two', model: name });
  expect((await second.result()).type).toBe('completed');
  await idle(session, 2);
  expect((await session.state()).exceeded).toBeUndefined();
  await expect(session.setLimits({ tokens: -1 })).rejects.toThrow(/limits.tokens: expected a whole number/);

  // An agent's own limit that is smaller than the share holds.
  const { name: calls } = place.model(Array.from({ length: 9 }, () => reply(call, { usage })));
  const third = await (await session.send('small', 'three', { model: calls })).result();
  expect(third.exceeded).toEqual({ limit: 'tokens', allowed: 50, spent: 100 });
});

test('what waits when a limit is reached ends as it begins, and says by which; `null` lifts a limit', async () => {
  const held = [reply(toolCall('hold'), { usage }), reply(text('one'), { usage })];
  const { session, send } = place.open(held, { limits: { tokens: 200, turns: 3 }, messagesPerRun: 3 });
  await send('one');
  await place.held.running();
  const second = await send('two');
  await send('three');
  await expect(send('four')).rejects.toThrow(/may have 3 turns, and has had 3, with those that run and wait/);
  place.held.release();
  expect(await second.result()).toMatchObject({
    ...{ type: 'budget_exceeded', iterations: 0 },
    ...{ exceeded: { limit: 'tokens', allowed: 200, spent: 200, of: 'session' } },
  });
  await idle(session, 3);
  expect((await session.turns()).map(({ outcome }) => outcome)).toEqual([
    ...['completed', 'budget_exceeded', 'budget_exceeded'],
  ]);
  await session.setLimits({ tokens: null, turns: 4 });
  const { name } = place.model(Array.from({ length: 3 }, () => text('go on')));
  await (await session.send('tester', 'five', { model: name })).result();
  await idle(session, 4);
  expect(await session.state()).toMatchObject({ limits: { turns: 4 }, exceeded: { limit: 'turns' } });
  expect((await recorded(place.client, session.sessionId)).limits).toEqual({ turns: 4 });
});

test('a later turn is handed the artifacts of earlier ones by name; new names stay unique; a rollback takes them along', async () => {
  const drawing = (what: string) => toolCall('draw', { what });
  const reading = (from: string) => toolCall('read', { from });
  const { session, send, requests, model } = place.open([drawing('a'), text('drawn')]);
  const ask = async (prompt: string, ...calls: ReturnType<typeof toolCall>[]) => {
    const entry = (messages: readonly { role: string }[]) =>
      messages.at(-1)?.role === 'tool' ? text('done') : reply(...calls);
    const { name } = place.model(Array.from({ length: 9 }, () => entry));
    const turn = await session.send('draws', prompt, { model: name });
    const { messages = [] } = await turn.result();
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
    return results.map(({ status, artifacts, content }) => {
      const [block] = content;
      return artifacts?.[0]?.name ?? `${status}: ${block?.type === 'text' ? block.text.slice(0, 20) : ''}`;
    });
  };
  await (await send('one', { agent: 'draws' })).result();
  expect(await ask('two', drawing('b'), reading('chart.txt'))).toEqual(['chart-2.txt', 'ok: a']);
  expect(await ask('three', reading('Chart-2.txt'))).toEqual(['ok: b']);
  await idle(session, 3);
  const fork = tested(await session.fork(), model, requests).session;
  const second = (await session.transcript())[4]?.id ?? '';
  await session.rollback({ before: second });
  const { whole, artifacts } = await recorded(place.client, session.sessionId);
  expect(whole).toEqual(await session.transcript());
  expect(artifacts?.map((each) => each.name)).toEqual(['chart.txt']);
  expect(await ask('four', reading('chart-2.txt'))).toEqual(['error: Error: read was not ']);
  expect(await ask('five', drawing('c'))).toEqual(['chart-2.txt']);
  const { name } = place.model(
    Array.from({ length: 9 }, (_, at) => (at < 4 ? reading('chart-2.txt') : text('done'))),
  );
  await (await fork.send('draws', 'six', { model: name })).result();
  await idle(fork, 1);
  expect(JSON.stringify(await fork.transcript())).toContain('"text":"b"');
});
