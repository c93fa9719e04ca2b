import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AgentClient } from '../../src/client/agent-client.js';
import { Supervisor } from '../../src/worker/supervisor.js';
import { isAlive, logOf, newFolder, textIn } from './odd-servers.js';

const pathOf = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const PATIENCE = { timeout: 30_000 };

test('a worker killed in the middle of a call: its outcome is unknown, its server ends, stubborn as it is, and the turn goes on', async () => {
  const address = process.env['TEMPORAL_ADDRESS'] ?? '';
  const taskQueue = `mcp-killed-${randomUUID()}`;
  const path = join(newFolder(), 'log');
  const { log, count } = logOf(path);
  process.env['ODD_LOG'] = path;
  const client = await AgentClient.connect({ address, taskQueue });
  const supervisor = new Supervisor({
    program: pathOf('../../dist/cli/worker-process.js'),
    args: [pathOf('./killed-agent.mjs'), address, 'default', taskQueue],
    client: client.client,
    onEvent: () => undefined,
  });
  onTestFinished(async () => {
    await supervisor.drain();
    await client.close();
  });
  await supervisor.start();
  const turn = await client.start('mcp', 'Go.');
  await vi.waitFor(() => expect(log()).toContain('call hang'), PATIENCE);
  process.kill(supervisor.pid ?? 0, 'SIGKILL');
  expect((await turn.result()).type).toBe('completed');
  const results = (await turn.transcript()).flatMap((each) => (each.role === 'tool' ? each.content : []));
  expect(results[0]).toMatchObject({ status: 'unknown', cause: 'worker_lost' });
  expect(textIn(results[1])).toBe('echo after');
  expect(count('call hang')).toBe(1);
  const [first] = log().filter((line) => line.startsWith('started '));
  await vi.waitFor(() => expect(isAlive(first?.split(' ')[1] ?? '')).toBe(false), PATIENCE);
});
