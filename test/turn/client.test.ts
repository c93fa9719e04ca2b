import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { TurnConflict, TurnNotFound } from '../../src/client/errors.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import type { TurnEvent } from '../../src/shared/events.js';
import type { TurnOutcome } from '../../src/shared/turn.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { countedTool, echoTool, gate, rolesOf } from './agents.js';
import { sharedWorker } from './shared-worker.js';

const gates = new Map<string, ReturnType<typeof gate>>();

function gateOf(prompt: string): ReturnType<typeof gate> {
  const found = gates.get(prompt) ?? gate();
  gates.set(prompt, found);
  return found;
}

// Runs until the test opens the gate that is named like the turn.
const slow = countedTool('slow', {}, async (_, { turnId, progress }) => {
  progress('working');
  gateOf(`${turnId} runs`).open();
  await gateOf(turnId).opened;
});
const echo = echoTool();
const worker = sharedWorker([slow.tool, echo.tool]);

const answering = () => scriptedModel([text('done')]);
const oneRound = () => scriptedModel([toolCall('echo', { text: 'a' }), text('done')]);

async function all(events: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

/** A turn whose tool has begun and waits to be let go. */
async function turnInTool(): Promise<{ turn: TurnHandle; letGo: () => void }> {
  const turnId = randomUUID();
  const turn = await worker.start(scriptedModel([toolCall('slow'), text('done')]), 'hello', { turnId });
  await gateOf(`${turnId} runs`).opened;
  return { turn, letGo: gateOf(turnId).open };
}

test('starting a turn twice runs it once', async () => {
  const turnId = randomUUID();
  const [first, second] = [answering(), answering()];
  const started = await worker.start(first, 'hello', { turnId });
  const again = await worker.start(second, 'hello', { turnId });
  expect([started.attached, again.attached]).toEqual([false, true]);
  expect(await again.result()).toEqual(await started.result());
  expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
});

test('starting a turn that has ended attaches to it, too', async () => {
  const turnId = randomUUID();
  await (await worker.start(answering(), 'hello', { turnId })).result();
  const again = await worker.start(answering(), 'hello', { turnId });
  expect(again.attached).toBe(true);
  expect(await again.result()).toMatchObject({ text: 'done' });
});

test('the turnId of a turn with another prompt is refused', async () => {
  const turnId = randomUUID();
  await worker.start(answering(), 'hello', { turnId });
  const other = worker.start(answering(), 'good night', { turnId });
  await expect(other).rejects.toThrow(TurnConflict);
  await expect(other).rejects.toThrow(`Turn ${turnId} was started before with another prompt.`);
});

test('the turnId of a turn of another agent is refused', async () => {
  const turnId = randomUUID();
  await worker.start(answering(), 'hello', { turnId });
  const other = worker.client.start('somebody', 'hello', { turnId, taskQueue: worker.taskQueue });
  await expect(other).rejects.toThrow(TurnConflict);
  await expect(other).rejects.toThrow('the agent "tester"');
});

test('a turnId with a slash is whole in the outcome, the events, the tools and the state', async () => {
  const turnId = `anna/${randomUUID()}`;
  const turn = await worker.start(scriptedModel([toolCall('slow'), text('done')]), 'hello', { turnId });
  await gateOf(`${turnId} runs`).opened;
  expect(await turn.state()).toMatchObject({ turnId });
  gateOf(turnId).open();
  expect((await turn.result()).turnId).toBe(turnId);
  for (const event of await all(worker.client.turn(turnId).events())) expect(event.turnId).toBe(turnId);
});

test.each([undefined, null, 5, { a: 1 }])('the prompt %j is refused in words', async (prompt) => {
  const start = worker.client.start('tester', prompt as unknown as string);
  await expect(start).rejects.toThrow('prompt: expected a text');
});

test('a turnId that no URL can hold is refused', async () => {
  const start = worker.start(answering(), 'hello', { turnId: 'a b' });
  await expect(start).rejects.toThrow('turnId "a b": use letters, digits');
});

test.each(['result', 'state', 'transcript', 'cancel'] as const)(
  '%s of an unknown turn says that there is none',
  async (ask) => {
    const turn = worker.client.turn(`nobody-${randomUUID()}`);
    await expect(turn[ask]()).rejects.toThrow(TurnNotFound);
  },
);

test('the events of an unknown turn say that there is none', async () => {
  const turn = worker.client.turn(`nobody-${randomUUID()}`);
  await expect(all(turn.events())).rejects.toThrow(TurnNotFound);
});

test('the state of a turn in a tool names the calls that it waits for', async () => {
  const { turn, letGo } = await turnInTool();
  expect(await turn.state()).toMatchObject({
    v: 1,
    turnId: turn.turnId,
    agent: 'tester',
    version: '1',
    phase: 'tools',
    iteration: 1,
    pendingCalls: [{ name: 'slow', status: 'running' }],
    messageCount: 2,
  });
  letGo();
  await turn.result();
});

test('the state of an ended turn has its outcome and nothing pending', async () => {
  const turn = await worker.start(oneRound());
  await turn.result();
  const state = await turn.state();
  expect(state).toMatchObject({ phase: 'ended', outcome: 'completed', iteration: 2, pendingCalls: [] });
  expect(state).toMatchObject({ messageCount: 4, deltaCount: 4 });
});

// FA-003, FA-070, FA-078, MC-060: ours tells them as they happen
test('the events of a tool round come in order, numbered from 1', async () => {
  const turn = await worker.start(oneRound());
  const events = await all(turn.events());
  expect(events.map(({ type }) => type)).toEqual([
    'turn_started',
    'model_started',
    'message',
    'tool_started',
    'tool_finished',
    'model_started',
    'message',
    'turn_ended',
  ]);
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('each call has one finish, an unknown tool too, before the next model call', async () => {
  const model = scriptedModel([reply(toolCall('nope'), toolCall('echo', { text: 'a' })), text('done')]);
  const events = await all((await worker.start(model)).events());
  const finished = events.filter((event) => event.type === 'tool_finished');
  expect(finished.map(({ name, result }) => [name, result.status])).toEqual([
    ['nope', 'error'],
    ['echo', 'ok'],
  ]);
});

test('events after any seq go on without a gap or a repeat', async () => {
  const turn = await worker.start(oneRound());
  const events = await all(turn.events());
  const resumed = await Promise.all(events.map(({ seq }) => all(turn.events({ after: seq }))));
  expect(resumed).toEqual(events.map((_, index) => events.slice(index + 1)));
});

test('a watcher that leaves in the middle and comes back misses nothing', async () => {
  const { turn, letGo } = await turnInTool();
  const seen: TurnEvent[] = [];
  for await (const event of turn.events()) {
    seen.push(event);
    if (event.type === 'tool_started') break;
  }
  letGo();
  for await (const event of turn.events({ after: seen.at(-1)?.seq ?? 0 })) seen.push(event);
  const recorded = seen.filter((event) => event.type !== 'tool_progress');
  expect(recorded.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('what a running tool tells of its progress reaches a watcher', async () => {
  const { turn, letGo } = await turnInTool();
  for await (const event of turn.events()) {
    if (event.type !== 'tool_progress') continue;
    expect(event.text).toBe('working');
    break;
  }
  letGo();
  await turn.result();
});

// D4, FA-063: the pieces make the text
test('the pieces of a streamed text are those of the message, each once', async () => {
  const whole = 'It is on its way. '.repeat(10);
  const model = scriptedModel([text(whole)], { pieceDelayMs: 30 });
  const turn = await worker.start(model, 'hello', { stream: true });
  const pieces = (await all(turn.events())).filter((event) => event.type === 'text_delta');
  expect(pieces.length).toBeGreaterThan(1);
  const joined = pieces.map((piece) => piece.text).join('');
  expect(whole.startsWith(joined)).toBe(true);
  expect(pieces.map(({ offset }) => offset)).toEqual(
    pieces.map((_, index) => pieces.slice(0, index).reduce((sum, piece) => sum + piece.text.length, 0)),
  );
});

// O22, D2: messages are absent on the wire and present in the result
test('messages of 700 KB are read apart, and the result has them all', async () => {
  const big = 'x'.repeat(700 * 1024);
  const turn = await worker.start(scriptedModel([text(big)], { pieceChars: 1_000_000 }));
  const { messages, text: lastText } = await turn.result();
  expect(rolesOf(messages)).toEqual(['user', 'assistant']);
  expect(lastText).toBe(big);
  const onTheWire: TurnOutcome = await worker.client.client.workflow.getHandle(turn.turnId).result();
  expect(onTheWire.messages).toBeUndefined();
  expect(onTheWire.messageCount).toBe(2);
});

test("Temporal's own tools can start a turn", async () => {
  const model = scriptedModel([text('never asked')]);
  const ready = await worker.start(model);
  await ready.result();
  const handle = await worker.client.client.workflow.start('holdfast.turn', {
    taskQueue: worker.taskQueue,
    workflowId: randomUUID(),
    args: [{ v: 1, agent: 'tester', prompt: 'hello', model: modelNameOf(model.requests[0]) }],
  });
  expect(await handle.result()).toMatchObject({ v: 1, type: 'completed', text: 'never asked' });
});

function modelNameOf(request: { model: string } | undefined): string {
  return request?.model ?? '';
}
