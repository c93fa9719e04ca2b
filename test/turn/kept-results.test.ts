import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.js';
import type { ToolResultBlock } from '../../src/shared/messages.js';
import { reply, scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { codingTools } from '../../src/tools/coding-tools.js';
import { countedTool, textOfResult } from './agents.js';
import { fullStore, KB, MB, run } from './measured-turn.js';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bounds-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// O22
test.each([
  ['three of 900 KB', [900 * KB, 900 * KB, 900 * KB]],
  ['three of 1.3 MB', [1.3 * MB, 1.3 * MB, 1.3 * MB]],
  ['one of 5 MB', [5 * MB]],
])('results of any size are cut for the model and kept whole: %s', async (_, sizes) => {
  const big = countedTool(
    'big',
    { at: z.int() },
    ({ at }) => `begin${at} ${'x'.repeat(sizes[at] ?? 0)} end${at}`,
  );
  const asked = reply(...sizes.map((_size, at) => toolCall('big', { at })));
  const { outcome, results, historyBytes, ms } = await run(scriptedModel([asked, text('done')]), [big.tool]);
  expect(outcome.type).toBe('completed');
  for (const [at, result] of results.entries()) {
    const told = textOfResult(result);
    expect(told.startsWith(`begin${at} xxx`) && told.endsWith(`xxx end${at}`)).toBe(true);
    expect(Buffer.byteLength(told)).toBeLessThanOrEqual(100 * KB);
    expect(result.artifact?.bytes).toBe((sizes[at] ?? 0) + 12);
    expect(told).toContain(
      `read on with read_artifact: {"artifact":"${result.artifact?.sha256.slice(0, 16)}"`,
    );
  }
  expect(historyBytes).toBeLessThan(1 * MB);
  expect(ms).toBeLessThan(10_000);
});

test('a result that cannot be kept is given all the same, cut, and says so', async () => {
  const big = countedTool('big', {}, () => 'x'.repeat(5 * MB));
  const model = scriptedModel([toolCall('big'), text('done')]);
  const { results } = await run(model, [big.tool], { worker: { artifacts: fullStore } });
  expect(results[0]).toMatchObject({ status: 'ok' });
  expect(results[0]?.artifact).toBeUndefined();
  expect(textOfResult(results[0])).toContain('they could not be kept: no space left ...]');
});

/** The call that a cut result suggests. */
function suggested(result: ToolResultBlock | undefined) {
  const [, args = '{}'] = /read_artifact: (\{.*?\})/.exec(textOfResult(result)) ?? [];
  return args;
}

test('the model reads on in what was cut, to its end, with a tool that it is shown from then on', async () => {
  const whole = Array.from({ length: 30_000 }, (_, at) => `line ${at} äöü`).join('\n');
  const big = countedTool('big', {}, () => whole);
  const lastResult: Parameters<typeof scriptedModel>[0][number] = (messages) => {
    const last = messages.at(-1);
    const result = last?.role === 'tool' ? last.content[0] : undefined;
    const next = /go on with offset=(\d+)\]$/.exec(textOfResult(result));
    const artifact = messages.flatMap((each) => (each.role === 'tool' ? each.content : []))[0]?.artifact;
    if (result?.name === 'big') return toolCall('read_artifact', suggested(result));
    if (!next) return text('done');
    return toolCall('read_artifact', { artifact: artifact?.sha256 ?? '', offset: Number(next[1]) });
  };
  const model = scriptedModel([toolCall('big'), ...Array(30).fill(lastResult)]);
  const { outcome, results } = await run(model, [big.tool]);
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
  const [head = ''] = textOfResult(results[0]).split('\n[...');
  const parts = results.slice(1).map((result) => textOfResult(result).replace(/\n\[bytes .*\]$/, ''));
  expect(head + parts.join('') === whole).toBe(true);
  expect(model.requests.map((request) => request.tools.map((tool) => tool.name))).toEqual([
    ['big'],
    ...Array(model.requests.length - 1).fill(['big', 'read_artifact']),
  ]);
  expect(model.requests[1]?.tools[1]?.schema['properties']).not.toHaveProperty('bytes');
});

test('a model reads no artifact that its own transcript does not name', async () => {
  const secret = randomBytes(200 * KB).toString('hex');
  const other = countedTool('big', {}, () => secret);
  const first = await run(scriptedModel([toolCall('big'), text('done')]), [other.tool]);
  const { sha256 = '' } = first.results[0]?.artifact ?? {};
  const own = countedTool('big', {}, () => 'y'.repeat(200 * KB));
  const reads = [
    { artifact: sha256 },
    { artifact: sha256.slice(0, 16) },
    { artifact: 'a' },
    { artifact: '../../etc/passwd' },
    { artifact: sha256, bytes: 400_000 },
    {},
  ].map((args) => toolCall('read_artifact', args));
  const { results, outcome } = await run(
    scriptedModel([
      reply(toolCall('read_artifact', { artifact: sha256 }), toolCall('big')),
      reply(...reads),
      text('done'),
    ]),
    [own.tool],
  );
  expect(results[0]?.cause).toBe('unknown_tool');
  expect(results.slice(2).map((result) => result.cause)).toEqual(reads.map(() => 'invalid_arguments'));
  expect(JSON.stringify(results)).not.toContain(secret.slice(0, 64));
  expect(outcome.type).toBe('completed');
});

test('odd reads are answered', async () => {
  const big = countedTool('big', {}, () => '\0\u001b€'.repeat(100 * KB));
  const read =
    (more: object): Parameters<typeof scriptedModel>[0][number] =>
    (messages) => {
      const artifact = messages.flatMap((each) => (each.role === 'tool' ? each.content : []))[0]?.artifact;
      return toolCall('read_artifact', { artifact: artifact?.sha256.slice(0, 12) ?? '', ...more });
    };
  const model = scriptedModel([
    toolCall('big'),
    read({ offset: 500_000 }),
    read({ offset: 3, limit: 1 }),
    read({ offset: 499_990, limit: 1e9 }),
    read({ limit: 1e9 }),
    text('done'),
  ]);
  const { results } = await run(model, [big.tool]);
  const texts = results.map(textOfResult);
  expect(texts[0]?.startsWith('␀␛€')).toBe(true);
  expect(Buffer.byteLength(texts[0] ?? '')).toBeLessThanOrEqual(100 * KB);
  expect(texts[1]).toBe('Error: Offset 500000 is past the end: the artifact has 500000 bytes.');
  expect(texts[2]).toBe('\ufffd\n[bytes 3 to 4 of 500000; go on with offset=4]');
  expect(texts[3]).toBe('␀␛€␀␛€\n[bytes 499990 to 500000 of 500000, its end]');
  expect(Buffer.byteLength(texts[4] ?? '')).toBeLessThanOrEqual(100 * KB);
  expect(results[4]?.artifact).toBeUndefined();
});

test('an artifact that is gone is told to the model', async () => {
  const kept = new Map<string, Uint8Array>();
  const store: ArtifactStore = { ...fullStore, put: async (key) => void kept.set(key, new Uint8Array()) };
  const big = countedTool('big', {}, () => 'x'.repeat(200 * KB));
  const model = scriptedModel([
    toolCall('big'),
    (messages) => {
      const last = messages.at(-1);
      return toolCall('read_artifact', suggested(last?.role === 'tool' ? last.content[0] : undefined));
    },
    text('done'),
  ]);
  const { results, outcome } = await run(model, [big.tool], { worker: { artifacts: store } });
  expect(textOfResult(results[1])).toMatch(/^Error: The artifact .* is not there/);
  expect(outcome.type).toBe('completed');
});

test('a command that prints 50 MB takes seconds, and all of it can be read', async () => {
  const root = temporaryFolder();
  const command = "yes 'a line of output' | head -c 50000000";
  const read: Parameters<typeof scriptedModel>[0][number] = (messages) => {
    const last = messages.at(-1);
    const args = JSON.parse(suggested(last?.role === 'tool' ? last.content[0] : undefined));
    return toolCall('read_artifact', { ...args, offset: 49_999_993 });
  };
  const before = process.memoryUsage().rss;
  const { results, outcome, historyBytes, ms } = await run(
    scriptedModel([toolCall('bash', { command }), read, text('done')]),
    codingTools({ root }),
  );
  expect(outcome.type).toBe('completed');
  expect(results[0]?.artifact?.bytes).toBe(50_000_000);
  expect(textOfResult(results[0])).toMatch(/characters left out; read on with read_artifact/);
  const end = Buffer.alloc(50_000_000, 'a line of output\n').subarray(49_999_993).toString();
  expect(textOfResult(results[1])).toBe(`${end}\n[bytes 49999993 to 50000000 of 50000000, its end]`);
  expect(historyBytes).toBeLessThan(200 * KB);
  expect(ms).toBeLessThan(10_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * MB);
});

test('a tool keeps what it likes, once a call', async () => {
  const saving = countedTool('saving', { fails: z.boolean() }, async ({ fails }, context) => {
    const ref = await context.saveArtifact('the whole');
    await expect(context.saveArtifact('more')).rejects.toThrow('has saved an artifact in this call before');
    if (fails) throw new Error('too late');
    return `a part of ${ref.bytes} bytes`;
  });
  const asked = reply(toolCall('saving', { fails: false }), toolCall('saving', { fails: true }));
  const { results } = await run(scriptedModel([asked, text('done')]), [saving.tool]);
  const note =
    /\n\[9 bytes were kept; read on with read_artifact: \{"artifact":"[0-9a-f]{16}","offset":0\}\]$/;
  const texts = results.map(textOfResult);
  expect(texts.every((each) => note.test(each))).toBe(true);
  expect(texts.map((each) => each.replace(note, ''))).toEqual(['a part of 9 bytes', 'Error: too late']);
  expect(results.map((result) => result.artifact?.bytes)).toEqual([9, 9]);
});

test('a tool of the name read_artifact is refused where it is defined', () => {
  expect(() => countedTool('read_artifact', {})).toThrow('every agent has a tool of that name');
});
