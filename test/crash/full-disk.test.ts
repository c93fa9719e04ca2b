import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scriptedModel, text, toolCall } from '../../src/testing/index.js';
import { testTurn } from '../../src/testing/test-turn.js';
import { codingTools } from '../../src/tools/coding-tools.js';
import { agentWith, textOfResult } from '../turn/agents.js';

/** A folder on a file system of 64 KB, or undefined where this system mounts none for us. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-disk-'));
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('/bin/umount', [folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

test('a disk that is full is an error that the model reads, and the turn goes on', async (context) => {
  const root = smallDisk();
  if (root === undefined) return context.skip('no file system can be mounted here');
  const model = scriptedModel([
    toolCall('write_file', { path: 'big.txt', content: 'x'.repeat(200_000) }),
    toolCall('write_file', { path: 'small.txt', content: 'fits' }),
    text('done'),
  ]);
  const { outcome, calls } = await testTurn(agentWith(codingTools({ root })), 'hello', { model });
  expect(calls.map(({ result }) => result.status)).toEqual(['error', 'ok']);
  expect(textOfResult(calls[0]?.result)).toMatch(/no space left|ENOSPC/i);
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
});

test('a full device is told by bash as any other failing command', async () => {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-full-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const model = scriptedModel([toolCall('bash', { command: 'echo x > /dev/full' }), text('done')]);
  const { outcome, calls } = await testTurn(agentWith(codingTools({ root })), 'hello', { model });
  expect(textOfResult(calls[0]?.result)).toMatch(/no space left/i);
  expect(outcome).toMatchObject({ type: 'completed', text: 'done' });
});
