import { expect, test } from 'vitest';
import { openai } from '../../src/activities/openai/openai.js';
import { localArtifacts } from '../../src/artifacts/local-artifacts.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { agentWith, countedTool, servedModel, textOfResult } from './agents.js';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const image = { type: 'image', mediaType: 'image/png', data: png.toString('base64') };
const large = { type: 'image', mediaType: 'image/png', data: Buffer.alloc(390_000, 7) };
const script = [toolCall('shoot', {}, { id: 'c1' }), text('done')];
const shooting = (value: unknown) => agentWith([countedTool('shoot', {}, () => value).tool]);

async function resultOf(value: unknown, calls = [toolCall('shoot')]) {
  const model = scriptedModel([reply(...calls), text('done')]);
  const tested = await testTurn(shooting(value), 'hello', { model });
  return tested.calls.map(({ result }) => result);
}

// FA-033: behind the results, and no message of the transcript
test('an image that a tool returns is shown to the model, by Chat Completions', async () => {
  const { server, model } = await servedModel(script);
  await testTurn(shooting(image), 'hello', { model });
  expect(server.refusals).toEqual([]);
  expect(server.requests[1]?.body.messages.at(-1)).toMatchObject({
    role: 'user',
    content: [
      { type: 'text' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${image.data}` } },
    ],
  });
});

test('an image that a tool returns is shown to the model, by the Responses API', async () => {
  const { server } = await servedModel(script);
  const model = openai({ baseURL: server.url, model: 'scripted', api: 'responses' });
  await testTurn(shooting(image), 'hello', { model });
  expect(server.refusals).toEqual([]);
  const items = server.responses[1]?.body.input as { output?: unknown }[];
  expect(items.at(-1)?.output).toMatchObject([{ type: 'input_image' }]);
});

test('images and texts stay in their order, and bytes become base64', async () => {
  const words = (said: string) => ({ type: 'text', text: said });
  const [result] = await resultOf([words('before'), { ...image, data: png }, words('after')]);
  expect(result?.content).toEqual([
    { ...words('before'), id: `${result?.callId}.0` },
    { ...image, id: `${result?.callId}.1` },
    { ...words('after'), id: `${result?.callId}.2` },
  ]);
});

test('an image that is too large is left out, said to be, and kept', async () => {
  const [result] = await resultOf(large);
  expect(result?.status).toBe('ok');
  expect(textOfResult(result)).toContain('520000 bytes in base64 is left out');
  expect(result?.artifact?.bytes).toBe(390_000);
  const kept = result?.artifact && (await localArtifacts().get(result.artifact.sha256));
  expect(kept && Buffer.from(kept as Uint8Array).equals(large.data)).toBe(true);
});

test('the images of one reply share a bound', async () => {
  const half = { ...large, data: Buffer.alloc(240_000, 7) };
  expect((await resultOf(half))[0]?.content[0]?.type).toBe('image');
  const both = await resultOf(half, [toolCall('shoot'), toolCall('shoot')]);
  expect(both.map(({ content }) => content[0]?.type)).toEqual(['text', 'text']);
});

test('an image whose data is none is an error that the model reads', async () => {
  const [result] = await resultOf({ ...image, data: 'no base64!' });
  expect(result?.status).toBe('error');
  expect(textOfResult(result)).toContain('is not base64');
});

test('text beside an image is cut as any other', async () => {
  const [result] = await resultOf([{ type: 'text', text: 'x'.repeat(200_000) }, image]);
  expect(result?.content.map(({ type }) => type)).toEqual(['text', 'image']);
  expect(textOfResult(result)).toContain('bytes left out');
  expect(result?.artifact).toBeDefined();
});
