import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.js';
import { toolCallsOf } from '../../src/shared/messages.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { long } from '../support/long.js';
import { agentWith, countedTool, textOfResult } from './agents.js';
import { fullStore, KB, MB, run } from './measured-turn.js';

const take = () =>
  countedTool('take', { name: z.string(), body: z.string() }, ({ body }) => `${body.length}`);

const argumentsOf = (body: string, at: number) => JSON.stringify({ name: `n${at}`, body });

// O22
test.each([
  ['five of 900 KB', 5, 900 * KB],
  ['64 of 190 KB', 64, 190 * KB],
  ['80 of 20 KB', 80, 20 * KB],
])('parallel calls with big arguments run with all of them: %s', async (_, count, bytes) => {
  const bodies = Array.from({ length: count }, (_each, at) => `${at} ${'"\n'.repeat(bytes / 4)}`);
  const { tool, runs } = take();
  const asked = reply(...bodies.map((body, at) => toolCall('take', { name: `n${at}`, body })));
  const model = scriptedModel([asked, text('done')]);
  const { outcome, calls, results, historyBytes } = await run(model, [tool]);
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  // Of texts as long as these a failing toEqual would take minutes to say how they differ.
  const given = new Set(runs.map(({ body }) => body));
  expect([runs.length, given.size, bodies.every((body) => given.has(body))]).toEqual([count, count, true]);
  expect(results.every((result, at) => textOfResult(result) === `${bodies[at]?.length}`)).toBe(true);
  // The model sees again what it wrote; the history has a short form.
  const seen = model.requests[1]?.messages.flatMap(toolCallsOf) ?? [];
  const isWhole = seen.map(({ arguments: args }, at) => args === argumentsOf(bodies[at] ?? '', at));
  expect(isWhole).toEqual(bodies.map(() => true));
  expect(historyBytes).toBeLessThan(4 * MB);
  for (const call of calls) expect(JSON.parse(call.arguments)).toHaveProperty('name');
});

test('arguments that cannot be stored are told to the model, and the turn goes on', async () => {
  const { tool, runs } = take();
  const body = 'x'.repeat(900 * KB);
  const model = scriptedModel([
    reply(toolCall('take', { name: 'big', body }), toolCall('take', { name: 'small', body: '' })),
    text('done'),
  ]);
  const { outcome, results } = await run(model, [tool], { worker: { artifacts: fullStore } });
  expect(results.map((result) => result.cause)).toEqual(['arguments_not_kept', undefined]);
  expect(textOfResult(results[0])).toMatch(/take 900024 bytes and could not be stored \(no space left\)/);
  expect(runs).toHaveLength(1);
  expect(outcome.type).toBe('completed');
});

test.runIf(long)('arguments that are gone later leave their short form, and the turn goes on', async () => {
  const forgetful: ArtifactStore = { ...fullStore, put: async () => {} };
  const model = scriptedModel([toolCall('take', { name: 'big', body: 'x'.repeat(900 * KB) }), text('done')]);
  const { outcome, results } = await run(model, [take().tool], { worker: { artifacts: forgetful } });
  expect(results[0]?.status).toBe('error');
  expect(textOfResult(results[0])).toContain('is not there');
  expect(outcome.type).toBe('completed');
});

test('arguments that are nested too deep to be carried are refused', async () => {
  const deep = `{"name":"a","body":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const { results, outcome } = await run(scriptedModel([toolCall('take', deep), text('done')]), [
    take().tool,
  ]);
  expect(textOfResult(results[0])).toContain('nested more than 500 levels deep');
  expect(outcome.type).toBe('completed');
});

test('a system prompt of 2 MB is sent to the model and stays out of the history', async () => {
  const instructions = 'Be kind. '.repeat(222_222);
  const model = scriptedModel([text('done')]);
  const { outcome, historyBytes } = await run(model, [], { agent: { instructions } });
  expect(outcome.type).toBe('completed');
  expect(model.requests[0]?.instructions === instructions).toBe(true);
  expect(historyBytes).toBeLessThan(20 * KB);
});

test.each([
  ['a prompt of 3 MB', 'x'.repeat(3 * MB), {}],
  ['instructions of 2 MB', 'hello', { instructions: 'x'.repeat(2 * MB) }],
])('%s is refused by name within a second', async (_, prompt, options) => {
  await withWorker(agentWith([]), async ({ start }) => {
    const startedAt = performance.now();
    await expect(start(prompt, options)).rejects.toThrow(/takes \d+ bytes; a turn's input may take 1500000/);
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

test('errors and progress of 5 MB are cut', async () => {
  const loud = countedTool('loud', {}, (_, { progress }) => {
    for (let at = 0; at < 50; at++) progress('🙂'.repeat(2_500_000));
    throw new Error('🙂'.repeat(2_500_000));
  });
  const { outcome, results, historyBytes, ms } = await run(scriptedModel([toolCall('loud'), text('done')]), [
    loud.tool,
  ]);
  expect(outcome.type).toBe('completed');
  expect(results[0]).toMatchObject({ status: 'error', cause: 'tool_threw' });
  expect(textOfResult(results[0])).toMatch(/^Error: (🙂)+…$/u);
  expect(historyBytes).toBeLessThan(50 * KB);
  expect(ms).toBeLessThan(10_000);
});

test.each([
  ['text', { type: 'text' as const, text: 'x'.repeat(3 * MB) }],
  ['reasoning', { type: 'reasoning' as const, text: 'x'.repeat(3 * MB) }],
])('a reply whose %s is larger than Temporal carries fails the turn by name', async (_, part) => {
  const model = scriptedModel([reply(part, text('.'))], { pieceChars: MB });
  await withWorker(agentWith([], { model }), async ({ start }) => {
    const turn = await start('hello');
    await expect(turn.result()).rejects.toMatchObject({ type: 'Model.BadResponse' });
    expect(model.requests).toHaveLength(1);
  });
});

// O14, O16
test('hostile results are texts, never a failed task', async () => {
  const throws = () => {
    throw new Error('no');
  };
  const values: (() => unknown)[] = [
    () => `${'x'.repeat(99_999)}😀${'x'.repeat(99_999)}`,
    () => 'raw \ud83d half',
    () => new Proxy({}, { ownKeys: throws, get: throws }),
    () => ({
      get a() {
        return throws();
      },
    }),
    () => Array.from({ length: 100_000 }).reduce((inner) => [inner], 'core'),
    () => new Array(4_000_000_000),
    () => Buffer.alloc(5 * MB),
    () => [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ],
    () => '\u001b[31mred\u001b[0m\0\u009b\u0007',
    () => Array.from({ length: 60 }).reduce((tree) => [tree, tree], 'x' as unknown),
  ];
  const odd = countedTool('odd', { at: z.int() }, ({ at }) => values[at]?.());
  const asked = reply(...values.map((_, at) => toolCall('odd', { at })));
  const { outcome, results } = await run(scriptedModel([asked, text('done')]), [odd.tool]);
  expect(outcome.type).toBe('completed');
  const texts = results.map(textOfResult);
  expect(texts.every((each) => each.isWellFormed() && Buffer.byteLength(each) <= 100 * KB)).toBe(true);
  expect(texts.slice(1, 4)).toEqual(['raw \ufffd half', 'Error: no', '{"a":"[cannot be read: no]"}']);
  expect(texts.slice(5, 9)).toEqual([
    '["[4000000000 empty]"]',
    '[Buffer of 5000000 bytes]',
    'one\ntwo',
    '␛[31mred␛[0m␀\ufffd␇',
  ]);
  expect(texts[9]).toMatch(
    /there was more, but (it takes more than 67108864 bytes|writing it took more than 3000 ms)/,
  );
});
