import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { start } from '../support/run-cli.js';

test('the demo ends with its report written and each call run once, though its worker was killed', async () => {
  const { exitCode, stdout, stderr } = await start('dist/demo/start.js', []).finished;
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('worker killed');
  expect(stdout).toMatch(/resumed after \d/);
  expect(stdout).toContain('write_file ran once');
  expect(readFileSync('holdfast-report.md', 'utf8')).toContain('# The largest source files');
});

test('the demo says so where the server has not the namespace', async () => {
  const env = { TEMPORAL_NAMESPACE: 'nowhere' };
  const { exitCode, stderr } = await start('dist/demo/start.js', [], env).finished;
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^The server has no namespace "nowhere"\./);
});
