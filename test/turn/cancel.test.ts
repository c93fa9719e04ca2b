import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { TurnFailed } from '../../src/client/errors.js';
import type { TurnHandle } from '../../src/client/turn-handle.js';
import type { Message, ToolResultBlock } from '../../src/shared/messages.js';
import { textOf } from '../../src/shared/messages.js';
import { transcriptProblems } from '../../src/shared/transcript.js';
import type { MessagesPage } from '../../src/shared/turn.js';
import {
  attempts,
  fault,
  reply,
  type Script,
  scriptedModel,
  text,
  toolCall,
} from '../../src/testing/index.js';
import { type RunningWorker, testPlace, withWorker } from '../../src/testing/test-environment.js';
import { replay } from '../../src/testing/test-turn.js';
import { aborted, agentWith, countedTool, gate, rolesOf, textOfResult } from './agents.js';

/** A tool that ignores its signal is given two seconds; the rest is for a busy machine. */
const SOON_MS = 10_000;

/** Cancels, waits for the end, and gives the transcript, which is valid and the same by query and from the history. */
async function cancel(turn: TurnHandle, { client }: Pick<RunningWorker, 'client'>): Promise<Message[]> {
  const before = performance.now();
  await turn.cancel();
  const failure = await turn.result().catch((error: unknown) => error);
  expect(performance.now() - before).toBeLessThan(SOON_MS);
  expect(failure).toBeInstanceOf(TurnFailed);
  expect(failure).toMatchObject({ status: 'CANCELED', type: 'Turn.Canceled' });

  const transcript = await turn.transcript();
  expect(transcriptProblems(transcript)).toEqual([]);
  const handle = client.client.workflow.getHandle(turn.turnId);
  const page = await handle.query<MessagesPage, [object]>('messages', { v: 1, from: 0 });
  expect(page.messages).toEqual(transcript);
  expect(JSON.stringify(transcript)).not.toContain('user interrupted');
  await replay(turn.turnId);
  return transcript;
}

function toolResults(transcript: readonly Message[]): ToolResultBlock[] {
  return transcript.flatMap((message) => (message.role === 'tool' ? message.content : []));
}

/** Tools for one reply: what each does when the turn is canceled, and when they all are where they are to be. */
function toolsToCancel() {
  const [honoringRuns, ignoringRuns, over] = [gate(), gate(), gate()];
  const finished = countedTool('finished', {}, () => 'what it found');
  const honoring = countedTool('honoring', {}, async (_, { signal }) => {
    honoringRuns.open();
    await aborted(signal);
    throw signal.reason;
  });
  const ignoring = countedTool('ignoring', {}, async () => {
    ignoringRuns.open();
    await over.opened;
  });
  const waiting = countedTool('waiting', {});
  return { finished, honoring, ignoring, waiting, honoringRuns, ignoringRuns, over };
}

const asks = (...names: string[]): Script => [
  reply(...names.map((name) => toolCall(name))),
  text('never asked'),
];

// O09, D11, FA-041
// FA-046
test('of the tools of a canceled round, the finished ones keep their results', async () => {
  const { finished, honoring, honoringRuns } = toolsToCancel();
  const model = scriptedModel(asks('finished', 'honoring'));
  const agent = agentWith([finished.tool, honoring.tool], { model, maxParallelTools: 1 });
  await withWorker(agent, async (running) => {
    const turn = await running.start('hello');
    await honoringRuns.opened;
    const [first] = toolResults(await cancel(turn, running));
    expect(first).toMatchObject({ name: 'finished', status: 'ok' });
    expect(textOfResult(first)).toBe('what it found');
  });
});

// O09, D11
test('a tool that stops at its signal is told as stopped while it ran', async () => {
  const { honoring, honoringRuns } = toolsToCancel();
  const agent = agentWith([honoring.tool], { model: scriptedModel(asks('honoring')) });
  await withWorker(agent, async (running) => {
    const turn = await running.start('hello');
    await honoringRuns.opened;
    const [result] = toolResults(await cancel(turn, running));
    expect(result).toMatchObject({ status: 'interrupted', cause: 'was_running' });
    expect(textOfResult(result)).toContain('was stopped');
  });
});

// O09, D11
test('a tool that ignores its signal does not hold the turn, and is told as perhaps still running', async () => {
  const { ignoring, ignoringRuns, over } = toolsToCancel();
  const agent = agentWith([ignoring.tool], { model: scriptedModel(asks('ignoring')) });
  await withWorker(agent, async (running) => {
    const turn = await running.start('hello');
    await ignoringRuns.opened;
    const [result] = toolResults(await cancel(turn, running));
    over.open();
    expect(result).toMatchObject({ status: 'interrupted', cause: 'may_still_run' });
    expect(textOfResult(result)).toContain('may still be running');
  });
});

// O09, D11
test('a tool that a cancel finds waiting is told as not started, and never runs', async () => {
  const { honoring, waiting, honoringRuns } = toolsToCancel();
  const model = scriptedModel(asks('honoring', 'waiting'));
  const agent = agentWith([honoring.tool, waiting.tool], { model, maxParallelTools: 1 });
  await withWorker(agent, async (running) => {
    const turn = await running.start('hello');
    await honoringRuns.opened;
    const [, result] = toolResults(await cancel(turn, running));
    expect(result).toMatchObject({ status: 'interrupted', cause: 'not_started' });
    expect(textOfResult(result)).toContain('was not started');
    expect(waiting.runs).toEqual([]);
  });
});

// O09, D11
test('a canceled round tells finished, stopped, deaf and waiting tools apart, in request order', async () => {
  const { finished, honoring, ignoring, waiting, honoringRuns, ignoringRuns, over } = toolsToCancel();
  const model = scriptedModel(asks('finished', 'ignoring', 'honoring', 'waiting'));
  const tools = [finished.tool, honoring.tool, ignoring.tool, waiting.tool];
  await withWorker(agentWith(tools, { model, maxParallelTools: 2 }), async (running) => {
    const turn = await running.start('hello');
    await Promise.all([honoringRuns.opened, ignoringRuns.opened]);
    const results = toolResults(await cancel(turn, running));
    over.open();
    expect(results.map(({ name, cause }) => [name, cause])).toEqual([
      ['finished', undefined],
      ['ignoring', 'may_still_run'],
      ['honoring', 'was_running'],
      ['waiting', 'not_started'],
    ]);
  });
});

// D13
test('no model call is made after a cancel', async () => {
  const { honoring, honoringRuns } = toolsToCancel();
  const model = scriptedModel(asks('honoring'));
  await withWorker(agentWith([honoring.tool], { model }), async (running) => {
    const turn = await running.start('hello');
    await honoringRuns.opened;
    await cancel(turn, running);
    expect(model.requests).toHaveLength(1);
  });
});

// D12, FA-040: ours keeps the user message
test('a cancel during a model call keeps the user message and the text that had come', async () => {
  const whole = 'It is on its way. '.repeat(500);
  const model = scriptedModel([text(whole)], { pieceDelayMs: 20 });
  await withWorker(agentWith([], { model }), async (running) => {
    const turn = await running.start('hello', { stream: true });
    for await (const event of turn.events()) if (event.type === 'text_delta') break;
    const [prompt, cut] = await cancel(turn, running);
    expect(prompt).toMatchObject({ role: 'user', content: [{ text: 'hello' }] });
    expect(cut).toMatchObject({ role: 'assistant', content: [{ partial: true }] });
    const kept = cut ? textOf(cut) : '';
    expect(kept).not.toBe('');
    expect(whole.startsWith(kept)).toBe(true);
  });
});

// D12
test('a cancel during a model call of which nothing has come keeps the user message, and a note of the interrupt', async () => {
  const model = scriptedModel([reply(text('too late'), { delayMs: Number.POSITIVE_INFINITY })]);
  await withWorker(agentWith([], { model }), async (running) => {
    const turn = await running.start('hello');
    await vi.waitFor(() => expect(model.requests).toHaveLength(1));
    expect(rolesOf(await cancel(turn, running))).toEqual(['user', 'user']);
  });
});

// FA-042
test('a cancel during the second model call keeps the results of the round before', async () => {
  const { finished } = toolsToCancel();
  const hanging = reply(text('too late'), { delayMs: Number.POSITIVE_INFINITY });
  const model = scriptedModel([toolCall('finished'), hanging]);
  await withWorker(agentWith([finished.tool], { model }), async (running) => {
    const turn = await running.start('hello');
    await vi.waitFor(() => expect(model.requests).toHaveLength(2));
    expect(toolResults(await cancel(turn, running)).map(textOfResult)).toEqual(['what it found']);
  });
});

// O10
test('a cancel while a model call waits to be tried again is heard at once', async () => {
  const model = scriptedModel([attempts(fault({ status: 429, retryAfter: 60 }), text('too late'))]);
  await withWorker(agentWith([], { model }), async (running) => {
    const turn = await running.start('hello');
    for await (const event of turn.events()) if (event.type === 'retry_waiting') break;
    expect(rolesOf(await cancel(turn, running))).toEqual(['user', 'user']);
    expect(model.requests).toHaveLength(1);
  });
});

// O11
test('a turn that is canceled before a worker has it ends without a model call', async () => {
  const model = scriptedModel([text('too late')]);
  const taskQueue = `test-${randomUUID()}`;
  const { client } = await testPlace();
  const turn = await client.start('tester', 'hello', { taskQueue });
  await turn.cancel();
  const use = async (running: RunningWorker) => {
    expect(rolesOf(await cancel(turn, running))).toEqual(['user', 'user']);
    expect(model.requests).toEqual([]);
  };
  await withWorker(agentWith([], { model }), use, { taskQueue });
});

// SM-042
test('a cancel that comes after the end changes nothing', async () => {
  const agent = agentWith([], { model: scriptedModel([text('done')]) });
  await withWorker(agent, async ({ start }) => {
    const turn = await start('hello');
    await turn.result();
    await turn.cancel().catch(() => undefined);
    expect(await turn.result()).toMatchObject({ type: 'completed', text: 'done' });
  });
});

test('the transcript of a terminated turn says that it was terminated', async () => {
  const { honoring, honoringRuns } = toolsToCancel();
  const agent = agentWith([honoring.tool], { model: scriptedModel(asks('honoring')) });
  await withWorker(agent, async ({ start, client }) => {
    const turn = await start('hello');
    await honoringRuns.opened;
    await client.client.workflow.getHandle(turn.turnId).terminate();
    const [result] = toolResults(await turn.transcript());
    expect(textOfResult(result)).toContain('was running when the turn was terminated');
  });
});
