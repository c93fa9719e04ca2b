import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/define/define-tool.js';
import { artifact, artifactInput } from '../../src/index.js';
import { replay, reply, scriptedModel, testTurn, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { ask, subAgent } from '../sub-agents/agents.js';
import { holdfast } from '../support/run-cli.js';
import { agentWith, gate, textOfResult } from './agents.js';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
/** Draws what it is told, under the same name each time. */
const draw = defineTool({
  name: 'draw',
  description: 'Draws.',
  input: z.object({ what: z.string() }),
  run: ({ what }) => [
    `drawn: ${what}`,
    artifact({ name: 'chart.png', data: Buffer.concat([png, Buffer.from(what)]) }),
  ],
});
const seen: { name: string; mediaType: string; size: number; tail: string; path: string }[] = [];
const send = defineTool({
  name: 'send',
  description: 'Sends images.',
  input: z.object({ images: z.array(artifactInput()), cover: artifactInput().optional() }),
  async run({ images, cover }) {
    for (const each of cover ? [cover, ...images] : images) {
      const { name, mediaType, size } = each;
      const path = await each.path();
      expect(readFileSync(path).equals(await each.bytes())).toBe(true);
      seen.push({ name, mediaType, size, tail: (await each.text()).slice(8), path });
    }
    return `sent ${images.length}`;
  },
});
const agent = agentWith([draw, send]);
const drawing = (what: string) => toolCall('draw', { what });
const sending = (...images: string[]) => toolCall('send', { images });

// SM-030, SM-031, with unique names
test('an artifact gets a name of its own, by which another tool is handed it', async () => {
  seen.length = 0;
  const model = scriptedModel([
    reply(drawing('a'), drawing('b')),
    sending('chart.png', 'chart-3.png'),
    sending(' Chart-2.png'),
    toolCall('read_artifact', { artifact: 'chart-2.png', offset: 8 }),
    text('done'),
  ]);
  const { outcome, calls, transcript } = await testTurn(agent, 'hello', { model });
  expect(transcript).toEqual(outcome.messages);
  const results = calls.map(({ result }) => result);
  expect(results.map(({ artifacts }) => artifacts?.map(({ name }) => name))).toEqual([
    ['chart.png'],
    ['chart-2.png'],
    undefined,
    undefined,
    undefined,
  ]);
  expect(textOfResult(results[1])).toBe('drawn: b[Kept as chart-2.png: image/png, 9 bytes]');
  expect(results[1]?.content.at(-1)).toMatchObject({ type: 'image', mediaType: 'image/png' });
  expect(results[2]).toMatchObject({ status: 'error', cause: 'no_such_artifact' });
  expect(textOfResult(results[2])).toContain('no artifact "chart-3.png". Near it: chart');
  expect(results[3]).toMatchObject({ status: 'ok' });
  expect(seen).toMatchObject([{ name: 'chart-2.png', mediaType: 'image/png', size: 9, tail: 'b' }]);
  expect(seen.map(({ path }) => existsSync(path))).toEqual([false]);
  expect(textOfResult(results[4])).toContain('b\n[bytes 8 to 9 of 9, its end]');
});

test('a name means the same however it is written, also to what approves a call', async () => {
  const twice = artifact({ name: 'é.txt', data: 'a' });
  const give = defineTool({
    name: 'give',
    description: 'Gives.',
    input: z.object({}),
    run: () => [twice, twice, artifact({ name: '', data: 'b' })],
  });
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    input: z.object({ of: artifactInput() }),
    approval: ({ of }) => (of.name === 'text.txt' ? 'deny' : 'allow'),
    run: ({ of }) => of.text(),
  });
  const names = ['e\u0301.TXT', 'text.txt', ' TEXT.txt'];
  const model = scriptedModel([
    toolCall('give', {}),
    reply(...names.map((of) => toolCall('read', { of }))),
    text('done'),
  ]);
  const { calls, outcome } = await testTurn(agentWith([give, read]), 'hello', { model });
  const results = calls.map(({ result }) => result);
  expect(textOfResult(results[0])).toBe(
    '[Kept as é.txt: text/plain, 1 bytes]\na[Kept as text.txt: text/plain, 1 bytes]\nb',
  );
  expect(results.slice(1).map(({ status }) => status)).toEqual(['ok', 'denied', 'denied']);
  expect(outcome.artifacts?.map(({ name, mediaType }) => [name, mediaType])).toEqual([
    ['é.txt', 'text/plain'],
    ['text.txt', 'text/plain'],
  ]);
});

test('names outlast the worker and the run of the workflow; clients and the command line find them', async () => {
  seen.length = 0;
  const [drawn, goOn] = [gate(), gate()];
  const model = scriptedModel([
    drawing('a'),
    async () => {
      drawn.open();
      await goOn.opened;
      return drawing('b');
    },
    sending('chart.png', 'chart-2.png'),
    text('done'),
  ]);
  const long = agentWith([draw, send], { model, iterationsPerRun: 1 });
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-fetched-'));
  const { turn, taskQueue } = await withWorker(long, async ({ start, taskQueue }) => {
    const turn = await start('hello');
    await drawn.opened;
    return { turn, taskQueue };
  });
  goOn.open();
  const outcome = await withWorker(long, () => turn.result(), { taskQueue });
  expect(outcome).toMatchObject({ type: 'completed', iterations: 4 });
  expect(seen.map(({ name, tail }) => [name, tail])).toEqual([
    ['chart.png', 'a'],
    ['chart-2.png', 'b'],
  ]);
  await replay(turn.turnId);
  expect((await turn.artifacts()).map(({ name }) => name)).toEqual(['chart.png', 'chart-2.png']);
  const output = join(folder, 'b.png');
  const [listed, fetched, unwritten] = await Promise.all([
    holdfast(['artifact', turn.turnId]).finished,
    holdfast(['artifact', turn.turnId, 'chart-2.png', '--output', output]).finished,
    holdfast(['artifact', turn.turnId, 'chart-2.png', '--output', folder]).finished,
  ]);
  expect(listed.stdout).toBe('chart.png\timage/png\t9\nchart-2.png\timage/png\t9\n');
  expect(fetched.exitCode).toBe(0);
  expect(unwritten).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/can't be written: [^\n]+\n$/),
  });
  expect(readFileSync(output).subarray(8).toString()).toBe('b');
  await rm(folder, { recursive: true });
});

test('a person who changes the arguments of a call may name another artifact', async () => {
  seen.length = 0;
  const asked = agentWith([draw, { ...send, approval: 'ask' as const }]);
  const model = scriptedModel([reply(drawing('a'), drawing('b')), sending('chart.png'), text('done')]);
  const outcome = await withWorker({ ...asked, model }, async ({ start }) => {
    const turn = await start('hello');
    for await (const event of turn.events()) {
      if (event.type !== 'approval_requested') continue;
      await turn.approve(event.callId, { arguments: { images: [], cover: 'chart-2.png' } });
    }
    return await turn.result();
  });
  expect(outcome.type).toBe('completed');
  expect(seen).toMatchObject([{ name: 'chart-2.png', tail: 'b' }]);
});

test('artifacts of a transcript that is handed in are there, and their names are taken', async () => {
  seen.length = 0;
  const first = await testTurn(agent, 'hello', { model: scriptedModel([drawing('a'), text('done')]) });
  // A script goes by the replies that a transcript has.
  const before = [text(''), text('')];
  const model = scriptedModel([...before, drawing('b'), sending('chart.png', 'chart-2.png'), text('done')]);
  await testTurn(agent, 'go on', { model, transcript: first.transcript });
  expect(seen.map(({ tail }) => tail)).toEqual(['a', 'b']);
});

test("what a sub-agent's answer names is handed up, under a name that is free", async () => {
  seen.length = 0;
  const script = [reply(drawing('x'), drawing('y')), text('Here is chart-2.png.')];
  const artist = subAgent('artist', script, { tools: [draw] });
  const model = scriptedModel([
    reply(drawing('a'), drawing('b')),
    ask('artist'),
    sending('chart-2.png', 'chart-2-2.png'),
    text('done'),
  ]);
  const { outcome, calls } = await testTurn(agentWith([], { tools: [draw, send, artist] }), 'hello', {
    model,
  });
  expect(textOfResult(calls[2]?.result)).toBe(
    'Here is chart-2.png.[Kept as chart-2-2.png: image/png, 9 bytes] It is chart-2.png of artist.',
  );
  expect(outcome.artifacts?.map(({ name }) => name)).toEqual(['chart.png', 'chart-2.png', 'chart-2-2.png']);
  expect(seen.map(({ tail }) => tail)).toEqual(['b', 'y']);
});
