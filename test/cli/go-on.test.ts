import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Script, serveScriptedModel, text, toolCall } from '../../src/testing/index.js';
import { holdfast } from '../support/run-cli.js';

async function run(script: Script, args: string[], folder: string) {
  const served = await serveScriptedModel(script);
  onTestFinished(() => served.close());
  const env = { OPENAI_BASE_URL: served.url, OPENAI_MODEL: 'scripted' };
  const { finished } = holdfast(['run', '--workspace', folder, ...args], env);
  return { ...(await finished), requests: served.requests };
}

test('a turn that a limit has ended says how to go on, and the next one knows what it did', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cli-'));
  writeFileSync(join(folder, 'notes.txt'), 'the sea\n');
  const script = [toolCall('read_file', { path: 'notes.txt' }), text('It is about the sea.')];
  const first = await run(script, ['--tokens', '1', '--mode', 'plan', 'what is it?'], folder);
  expect(first.exitCode).toBe(7);
  expect(first.stdout).toContain('budget_exceeded');
  const [, said = '', turnId = ''] =
    /(holdfast run --workspace .* --continue (\S+))/.exec(first.stderr) ?? [];
  expect(said).toContain(`${folder} --mode plan --continue`);
  const second = await run(script, ['--continue', turnId], folder);
  expect(second.exitCode).toBe(0);
  expect(second.stdout).toContain('It is about the sea.');
  expect(JSON.stringify(second.requests[0]?.body)).toMatch(/what is it\?.*the sea.*Go on\./);
});
