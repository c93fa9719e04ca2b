import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import { TurnConflict } from '../../src/client/errors.js';
import type { PromptPart } from '../../src/shared/prompt-parts.js';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { withWorker } from '../../src/testing/test-environment.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { agentWith, echoTool, servedModel } from './agents.js';

const png = 'iVBORw0KGgo=';
const pdf = 'JVBERi0xLjc=';
const parts: PromptPart[] = [
  { type: 'text', text: 'Compare' },
  { type: 'image', mediaType: 'image/png', data: png },
  { type: 'text', text: 'with' },
  { type: 'image', url: 'https://example.com/b.png' },
  { type: 'file', name: 'spec.pdf', mediaType: 'application/pdf', data: pdf },
];
const png64 = `data:image/png;base64,${png}`;
const pdf64 = `data:application/pdf;base64,${pdf}`;

test('a prompt of parts goes out in its order, by Chat Completions', async () => {
  const { server, model } = await servedModel([text('done')]);
  await testTurn(agentWith([]), parts, { model });
  expect(server.refusals).toEqual([]);
  expect(server.requests[0]?.body.messages.at(-1)?.content).toEqual([
    { type: 'text', text: 'Compare' },
    { type: 'image_url', image_url: { url: png64 } },
    { type: 'text', text: 'with' },
    { type: 'image_url', image_url: { url: 'https://example.com/b.png' } },
    { type: 'file', file: { filename: 'spec.pdf', file_data: pdf64 } },
  ]);
});

test('a prompt of parts goes out in its order, by the Responses API', async () => {
  const { server } = await servedModel([text('done')]);
  const model = openai({ baseURL: server.url, model: 'scripted', api: 'responses' });
  await testTurn(agentWith([]), parts, { model });
  expect(server.refusals).toEqual([]);
  expect(server.responses[0]?.body.input).toMatchObject([
    {
      content: [
        { type: 'input_text', text: 'Compare' },
        { type: 'input_image', image_url: png64 },
        { type: 'input_text', text: 'with' },
        { type: 'input_image', image_url: 'https://example.com/b.png' },
        { type: 'input_file', filename: 'spec.pdf', file_data: pdf64 },
      ],
    },
  ]);
});

test('a script sees the parts of a prompt as the turn has them', async () => {
  const seen: unknown[] = [];
  const { model } = await servedModel([
    (messages) => {
      seen.push(...(messages.at(-1)?.content.map(({ type }) => type) ?? []));
      return text('done');
    },
  ]);
  const { transcript, outcome } = await testTurn(agentWith([]), parts, { model });
  expect(seen).toEqual(['text', 'image', 'text', 'image', 'file']);
  expect(transcript[0]?.content.map(({ type }) => type)).toEqual(seen);
  expect(outcome.messages).toEqual(transcript);
});

test('a prompt without any text is shown by what it has', async () => {
  await withWorker(agentWith([], { model: scriptedModel([text('done')]) }), async ({ start }) => {
    const turn = await start(parts.slice(3));
    for await (const event of turn.events())
      if (event.type === 'turn_started') expect(event.prompt).toBe('[image] [spec.pdf]');
  });
});

test('starting a turn twice attaches only where its images are the same', async () => {
  await withWorker(agentWith([], { model: scriptedModel([text('done')]) }), async ({ start }) => {
    const turnId = randomUUID();
    await start(parts, { turnId });
    expect((await start(parts, { turnId })).attached).toBe(true);
    await expect(start(parts.slice(0, 2), { turnId })).rejects.toThrow(TurnConflict);
    await expect(start('Compare', { turnId })).rejects.toThrow(TurnConflict);
  });
});

test('a turn that has gone on in another run is found by the same images', async () => {
  const model = scriptedModel([
    toolCall('echo', { text: 'a' }),
    toolCall('echo', { text: 'b' }),
    text('done'),
  ]);
  const agent = agentWith([echoTool().tool], { model, iterationsPerRun: 1 });
  await withWorker(agent, async ({ start }) => {
    const turnId = randomUUID();
    await (await start(parts, { turnId })).result();
    expect(model.requests.at(-1)?.messages[0]?.content).toHaveLength(5);
    expect((await start(parts, { turnId })).attached).toBe(true);
    await expect(start(parts.slice(0, 2), { turnId })).rejects.toThrow(TurnConflict);
  });
});

test('a large image reaches the model whole', async () => {
  const data = 'A'.repeat(1_400_000);
  const { server, model } = await servedModel([toolCall('echo', { text: 'a' }), text('done')]);
  const prompt: PromptPart[] = [{ type: 'image', mediaType: 'image/png', data }];
  const { outcome } = await testTurn(agentWith([echoTool().tool]), prompt, { model });
  expect(outcome.text).toBe('done');
  expect(JSON.stringify(server.requests[1]?.body).length).toBeGreaterThan(1_400_000);
});

test.each<[string, unknown, string]>([
  [
    'data that is no base64',
    { type: 'image', mediaType: 'image/png', data: 'a b' },
    '[0].data: expected base64',
  ],
  ['an image of no image type', { type: 'image', mediaType: 'text/html', data: png }, '[0].mediaType'],
  ['an address of a file', { type: 'image', url: 'file:///etc/passwd' }, '[0].url: expected an address'],
  [
    'a file without a name',
    { type: 'file', mediaType: 'application/pdf', data: pdf },
    '[0].name: is missing',
  ],
  ['a kind that is not known', { type: 'audio', data: pdf }, '[0].type: expected text or image or file'],
  [
    'what is too large',
    { type: 'image', mediaType: 'image/png', data: 'A'.repeat(2_000_000) },
    'Make the attachments smaller',
  ],
])('%s is refused at the start', async (_name, part, problem) => {
  const started = testTurn(agentWith([]), [part as PromptPart], { model: scriptedModel([text('done')]) });
  await expect(started).rejects.toThrow(problem);
});
