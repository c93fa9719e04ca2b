import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resultWithArtifacts } from '../../src/activities/result-artifacts.js';
import { Artifacts } from '../../src/artifacts/artifacts.js';
import { localArtifacts } from '../../src/artifacts/local-artifacts.js';
import { type ArtifactOptions, artifact } from '../../src/define/artifact.js';

const png = Buffer.from('89504e470d0a1a0a', 'hex');
const csv = Array.from({ length: 100 }, (_, row) => `${row},x`).join('\n');
let folder: string;
let artifacts: Artifacts;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-returned-'));
  artifacts = new Artifacts(localArtifacts(join(folder, 'store')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function resultOf(value: unknown, bounds = {}, store = artifacts) {
  return await resultWithArtifacts('c', value, store, undefined, bounds);
}

test('an image is kept, named, and shown to models that see', async () => {
  const { content, artifacts: named } = await resultOf(artifact({ name: 'chart.png', data: png }));
  expect(content).toEqual([
    { type: 'text', id: 'c.0', text: '[Kept as chart.png: image/png, 8 bytes]' },
    { type: 'image', id: 'c.1', mediaType: 'image/png', data: png.toString('base64') },
  ]);
  expect(named).toMatchObject([{ name: 'chart.png', mediaType: 'image/png', bytes: 8, blockId: 'c.0' }]);
  expect(named?.[0] && Buffer.from(await artifacts.load(named[0])).equals(png)).toBe(true);
});

test('of a table as CSV the first rows are shown, and how to read on', async () => {
  const { content } = await resultOf(artifact({ name: 'sales.csv', data: csv }));
  const [block] = content;
  expect(block?.type === 'text' && block.text.split('\n')).toEqual([
    `[Kept as sales.csv: text/csv, ${csv.length} bytes]`,
    ...csv.split('\n').slice(0, 12),
    '[... this is the beginning; read_artifact reads all of it: {"artifact":"sales.csv","offset":0}]',
  ]);
});

test('short texts are shown whole; of Parquet, sound and other bytes name, kind and size', async () => {
  const value = [
    artifact({ name: 'a.txt', data: 'one\ntwo' }),
    artifact({ name: 'frame.parquet', data: png }),
    artifact({ mediaType: 'audio/mpeg', data: png }),
    artifact({ data: png }),
  ];
  const { content } = await resultOf(value);
  expect(content.map((block) => block.type === 'text' && block.text)).toEqual([
    '[Kept as a.txt: text/plain, 7 bytes]\none\ntwo',
    '[Kept as frame.parquet: application/vnd.apache.parquet, 8 bytes]',
    '[Kept as audio.mp3: audio/mpeg, 8 bytes]',
    '[Kept as data.bin: application/octet-stream, 8 bytes]',
  ]);
});

test('texts and artifacts of a list stay in their order, and their blocks have ids of their own', async () => {
  const value = ['before', artifact({ name: 'a.png', data: png }), { type: 'text', text: 'after' }];
  const { content } = await resultOf(value);
  expect(content.map((block) => (block.type === 'text' ? block.text : 'image'))).toEqual([
    'before',
    '[Kept as a.png: image/png, 8 bytes]',
    'image',
    'after',
  ]);
  expect(new Set(content.map(({ id }) => id)).size).toBe(4);
});

test('what is no text beside an artifact is JSON', async () => {
  const { content } = await resultOf([{ rows: 3 }, artifact({ name: 'a.txt', data: 'x' })]);
  expect(content).toMatchObject([{ text: '{"rows":3}' }, { text: expect.stringContaining('a.txt') }]);
});

test('a file is copied; one that is not there is told', async () => {
  const path = join(folder, 'report.md');
  await writeFile(path, '# Report');
  const { content, artifacts: named } = await resultOf([artifact({ path }), artifact({ path: `${path}x` })]);
  expect(content).toMatchObject([
    { text: '[Kept as report.md: text/markdown, 8 bytes]\n# Report' },
    { text: expect.stringMatching(/^\[report\.mdx could not be kept: ENOENT/) },
  ]);
  expect(named).toHaveLength(1);
});

test('an image beyond the bound is kept and not shown', async () => {
  const { content } = await resultOf(artifact({ name: 'a.png', data: png }), { maxImageBytes: 10 });
  expect(content).toMatchObject([{ text: expect.stringContaining('too large to be shown') }]);
});

test('beyond twenty artifacts the rest is left out, and said to be; previews share what a result may take', async () => {
  const value = Array.from({ length: 25 }, () => artifact({ name: 'a.csv', data: csv.repeat(10) }));
  const { content, artifacts: named } = await resultOf(value, { maxResultBytes: 10_000 });
  expect(named).toHaveLength(20);
  expect(content.at(-1)).toMatchObject({ text: '[5 more artifacts are left out: a result may have 20.]' });
  expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(12_000);
});

test('a store that fails is told; the image is shown all the same', async () => {
  const full = new Artifacts({
    ...localArtifacts(folder),
    put: () => Promise.reject(new Error('the disk is full')),
  });
  const { content, artifacts: named } = await resultOf(artifact({ name: 'a.png', data: png }), {}, full);
  expect(content).toMatchObject([{ text: '[a.png could not be kept: the disk is full]' }, { type: 'image' }]);
  expect(named).toBeUndefined();
});

test.each([
  [{ name: 'a' }, 'artifact: give its data'],
  [{ name: 'a', data: 'x', path: 'y' }, 'artifact: give its data'],
  [{ data: 'x', mediaType: 'image' }, 'artifact: "image" is no media type, such as image/png.'],
])('what can not be an artifact is refused: %j', (options, problem) => {
  expect(() => artifact(options as ArtifactOptions)).toThrow(problem);
});
