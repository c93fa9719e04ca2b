import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { long } from '../support/long.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TIMEOUT = { timeout: 40_000, interval: 50 };
const started: ChildProcess[] = [];

afterEach(() => {
  for (const supervisor of started.splice(0)) supervisor.kill('SIGKILL');
});

/** `holdfast worker` on a module with one agent, and what it printed. */
function superviseWorker() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-supervisor-'));
  const module = join(folder, 'agent.mjs');
  const from = (path: string) => JSON.stringify(join(root, 'dist', path));
  writeFileSync(
    module,
    `import { defineAgent } from ${from('index.js')};
import { scriptedModel, text } from ${from('testing/index.js')};

export const agent = defineAgent({ name: 'a', instructions: '', model: scriptedModel([text('x')]) });`,
  );
  const child = spawn(process.execPath, ['dist/cli/main.js', 'worker', module, '-q', folder], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const output = { text: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.text += text;
  });
  const serving = () => [...output.text.matchAll(/worker (\d+) serves/g)].map(([, pid]) => Number(pid));
  started.push(child);
  return { process: child, output, serving };
}

/** The processes that a process has started and that live. */
function childrenOf(pid: number | undefined): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return list.split(' ').filter(Boolean).map(Number);
}

test.runIf(long && process.platform === 'linux')(
  'three workers killed one after the other, and a spare, are each replaced, and SIGTERM ends them all',
  async () => {
    const { process: supervisor, serving, output } = superviseWorker();
    for (let count = 1; count <= 3; count++) {
      await vi.waitFor(() => expect(new Set(serving()).size, output.text).toBe(count), TIMEOUT);
      process.kill(serving().at(-1) ?? 0, 'SIGKILL');
    }
    await vi.waitFor(() => expect(new Set(serving()).size, output.text).toBe(4), TIMEOUT);
    await vi.waitFor(() => expect(childrenOf(supervisor.pid)).toHaveLength(2), TIMEOUT);
    const spare = childrenOf(supervisor.pid).find((pid) => pid !== serving().at(-1)) ?? 0;
    process.kill(spare, 'SIGKILL');
    await vi.waitFor(() => {
      const children = childrenOf(supervisor.pid);
      expect(children).toHaveLength(2);
      expect(children).not.toContain(spare);
    }, TIMEOUT);
    const exited = once(supervisor, 'exit');
    supervisor.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  },
);

test.runIf(process.platform === 'linux')('SIGTERM while the first worker starts ends it', async () => {
  const { process: supervisor } = superviseWorker();
  await vi.waitFor(() => expect(childrenOf(supervisor.pid)).toHaveLength(1), TIMEOUT);
  const exited = once(supervisor, 'exit');
  supervisor.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
