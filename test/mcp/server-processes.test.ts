import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mcpServer } from '../../src/define/mcp-server.js';
import { toolCall } from '../../src/testing/index.js';
import { isAlive, newFolder, oddServer, resultsOf, textIn } from './odd-servers.js';

const PROGRAM = fileURLToPath(new URL('./odd-server.mjs', import.meta.url));

test.concurrent('servers end with their worker, also those that something else has started, and stubborn ones', async () => {
  const LOG = join(newFolder(), 'log');
  // As npx does it: the program that we start is not the server.
  const command = `"${process.execPath}" "${PROGRAM}"; true`;
  const server = mcpServer('odd', { command: 'sh', args: ['-c', command], env: { LOG, STUBBORN: '1' } });
  const [pid] = await resultsOf(server, [toolCall('odd__pid')]);
  expect(pid?.status).toBe('ok');
  expect(isAlive(textIn(pid))).toBe(false);
  expect(readFileSync(LOG, 'utf8')).toContain('ignored SIGTERM');
});

test.concurrent('a server is given what it needs of the environment, and none of its secrets', async () => {
  process.env['TEST_API_KEY'] = 'top-secret';
  const { server } = oddServer({}, { GIVEN: 'value' });
  const [result] = await resultsOf(server, [toolCall('odd__environment')]);
  const seen = JSON.parse(textIn(result));
  expect(seen).toMatchObject({ GIVEN: 'value', PATH: process.env['PATH'] });
  expect(Object.keys(seen)).not.toContain('TEST_API_KEY');
  expect(JSON.stringify(seen)).not.toContain('top-secret');
});
