import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { bash } from './workbench.js';

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie that nobody has collected yet is as good as gone.
  const status = `/proc/${pid}/stat`;
  return !existsSync(status) || !/\) Z /.test(readFileSync(status, 'utf8'));
}

/** The process ids that a command has written to the file `name`, one a line, once there are `count`. */
async function pidsIn(root: string, name: string, count: number): Promise<number[]> {
  return vi.waitFor(
    () => {
      const pids = readFileSync(join(root, name), 'utf8').trim().split('\n').map(Number);
      expect(pids).toHaveLength(count);
      expect(pids.every((pid) => pid > 1)).toBe(true);
      return pids;
    },
    { timeout: 10_000 },
  );
}

describe('what ends bash', () => {
  it('a timeout kills the whole group and gives the output so far', async () => {
    const { root, sh } = bash();
    const command =
      'echo begun; sleep 300 & echo $! > pids; (sleep 301 & echo $! >> pids; wait) & echo $! >> pids; wait';

    const text = await sh(command, { timeout_seconds: 0.5 });

    expect(text).toBe('begun\n[timed out after 0.5 s; the process group was killed]');
    expect((await pidsIn(root, 'pids', 3)).filter(isAlive)).toEqual([]);
  });

  it('an interrupt kills the whole group and throws its reason', async () => {
    const { root, sh } = bash();
    const abort = new AbortController();
    const reason = new Error('interrupted');
    const running = sh('echo $$ > pids; sleep 300 & echo $! >> pids; wait', {}, { signal: abort.signal });
    running.catch(() => {});
    const pids = await pidsIn(root, 'pids', 2);
    expect(pids.filter(isAlive)).toEqual(pids);

    abort.abort(reason);

    await expect(running).rejects.toBe(reason);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('an interrupt kills also those that ignore SIGTERM, soon', async () => {
    const { root, sh } = bash();
    const abort = new AbortController();
    const stubborn =
      "trap '' TERM; (while :; do sleep 0.05; done) & echo $! > pids; echo $$ >> pids; while :; do sleep 0.05; done";
    const running = sh(stubborn, {}, { signal: abort.signal });
    running.catch(() => {});
    const pids = await pidsIn(root, 'pids', 2);

    const start = performance.now();
    abort.abort(new Error('interrupted'));

    await expect(running).rejects.toThrow('interrupted');
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('an interrupt lets the command clean up first', async () => {
    const { root, sh } = bash();
    const abort = new AbortController();
    const command =
      "trap 'echo cleaned > cleaned; exit 1' TERM; echo $$ > pids; while :; do sleep 0.02; done";
    const running = sh(command, {}, { signal: abort.signal });
    running.catch(() => {});
    await pidsIn(root, 'pids', 1);

    abort.abort(new Error('interrupted'));

    await expect(running).rejects.toThrow('interrupted');
    expect(readFileSync(join(root, 'cleaned'), 'utf8')).toBe('cleaned\n');
  });

  it('an interrupt before its start lets nothing run', async () => {
    const { root, sh } = bash();
    const reason = new Error('interrupted');
    await expect(sh('touch ran', {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  it('an interrupt right after the call, while it is being started, ends it too', async () => {
    const { sh } = bash();
    const abort = new AbortController();
    const running = sh('sleep 300', {}, { signal: abort.signal });
    abort.abort(new Error('interrupted'));
    await expect(running).rejects.toThrow('interrupted');
  });

  it('the exit of the shell, though a background process holds the output', async () => {
    const { root, sh } = bash();

    const text = await sh(
      '(while [ ! -e go ]; do echo tick; sleep 0.02; done; touch survived) & echo $! > pids; echo done',
    );
    const [pid = 0] = await pidsIn(root, 'pids', 1);
    onTestFinished(() => {
      if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });

    expect(text).toContain('done\n');
    expect(text).toMatch(/\n\[a background process still has the output open; .*\]\n\[exit code 0\]$/);
    expect(isAlive(pid)).toBe(true);
    // It has written all the while to an output that nobody shows, and was not killed by that.
    writeFileSync(join(root, 'go'), '');
    await vi.waitFor(() => expect(existsSync(join(root, 'survived'))).toBe(true), { timeout: 10_000 });
  });

  it('loses no output that was written just before the exit', async () => {
    const { sh } = bash();
    for (let round = 0; round < 20; round++) {
      expect(await sh("head -c 29000 /dev/zero | tr '\\0' x")).toBe(`${'x'.repeat(29_000)}\n[exit code 0]`);
    }
  });

  it('leaves no descriptor open behind it', async () => {
    if (!existsSync('/proc/self/fd')) return;
    const { sh } = bash();
    await sh('true');
    const before = readdirSync('/proc/self/fd').length;
    await Promise.all(Array.from({ length: 20 }, () => sh('echo x; exit 1')));
    await vi.waitFor(() => expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before + 1));
  });
});

it('a busy worker still gets the output of a command that has ended meanwhile', async () => {
  const { sh, root } = bash();
  const running = sh('echo begun > begun; until [ -e go ]; do sleep 0.01; done; echo all of it');
  await vi.waitFor(() => expect(existsSync(join(root, 'begun'))).toBe(true), { timeout: 10_000 });
  writeFileSync(join(root, 'go'), '');
  await sleep(0);
  const until = performance.now() + 600;
  while (performance.now() < until);
  expect(await running).toBe('all of it\n[exit code 0]');
});
