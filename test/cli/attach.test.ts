import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { reply, type Script, type ServedModel, serveScriptedModel, text } from '../../src/testing/index.js';
import { holdfast } from '../support/run-cli.js';

const png = Buffer.from('89504e470d0a1a0a00', 'hex');

async function run(script: Script, args: string[], env: NodeJS.ProcessEnv = {}) {
  const server: ServedModel = await serveScriptedModel(script);
  onTestFinished(() => server.close());
  const ended = await holdfast(['run', ...args], {
    ...{ OPENAI_BASE_URL: server.url, OPENAI_MODEL: 'scripted' },
    ...env,
  }).finished;
  return { ...ended, server };
}

function folderWith(files: Record<string, string | Uint8Array>): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-attach-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return (name) => join(folder, name);
}

test('files are shown to the model as what they are', async () => {
  const path = folderWith({ 'shot.bin': png, 'spec.pdf': '%PDF-1.7', 'notes.md': 'the sea' });
  const files = ['shot.bin', 'spec.pdf', 'notes.md'].flatMap((name) => ['--attach', path(name)]);
  const { exitCode, server } = await run([text('I see.')], ['-w', path('.'), ...files, 'what is it?']);
  expect(exitCode).toBe(0);
  expect(server.requests[0]?.body.messages.at(-1)?.content).toEqual([
    { type: 'text', text: 'what is it?' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
    { type: 'file', file: { filename: 'spec.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjc=' } },
    { type: 'text', text: 'The file notes.md:\nthe sea' },
  ]);
});

test.each([
  ['is not there', 'nothing.png', 'There is no file'],
  ['is a folder', '.', 'only files can be attached'],
  ['is of no kind that a model sees', 'data.bin', 'no text in UTF-8'],
  ['is too large', 'large.txt', 'Put it into the workspace'],
])('a file that %s is wrong usage', async (_name, name, problem) => {
  const path = folderWith({ 'data.bin': Buffer.from([1, 0, 255]), 'large.txt': 'x'.repeat(1_100_000) });
  const { exitCode, stderr } = await run([text('no')], ['-w', path('.'), '-a', path(name), 'look']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(problem);
});

test('a run tells what it cost where it knows the prices', async () => {
  const path = folderWith({});
  const script = [reply(text('done'), { usage: { inputTokens: 10_000, outputTokens: 500 } })];
  const env = { HOLDFAST_PRICES: '{"scripted":{"input":1.25,"output":10}}' };
  const { stdout } = await run(script, ['-w', path('.'), 'hello'], env);
  expect(stdout).toMatch(/10000 tokens in, 500 out · \$0\.0175 · /);
});
