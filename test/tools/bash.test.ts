import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder, workbench } from './workbench.js';

function bash(env?: Record<string, string>) {
  const bench = workbench(env ? { env } : {});
  return {
    ...bench,
    sh: (command: string, more: object = {}, context: Parameters<typeof bench.run>[2] = {}) =>
      bench.run('bash', { command, ...more }, context),
  };
}

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

describe('bash', () => {
  it('runs in the workspace root and gives the output and the exit code', async () => {
    const { root, sh } = bash();
    expect(await sh('pwd')).toBe(`${root}\n[exit code 0]`);
  });

  it('runs bash, not only sh', async () => {
    expect(await bash().sh('a=(1 2 3); echo $' + '{a[1]}')).toBe('2\n[exit code 0]');
  });

  it('gives a failure as an ordinary result', async () => {
    expect(await bash().sh('printf oops >&2; exit 3')).toBe('oops\n[exit code 3]');
  });

  it('says when there was no output', async () => {
    expect(await bash().sh('true')).toBe('[exit code 0]');
  });

  it('tells the signal that killed the command', async () => {
    expect(await bash().sh('kill -KILL $$')).toBe('[killed by signal SIGKILL]');
  });

  it('merges stdout and stderr in the order they were written', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `${index}\n`).join('');
    expect(await bash().sh('for i in {0..199}; do echo $i >&$((i % 2 + 1)); done')).toBe(
      `${lines}[exit code 0]`,
    );
  });

  it('lets a command open /dev/stderr and /dev/stdout', async () => {
    expect(await bash().sh('echo a > /dev/stderr; echo b > /dev/stdout')).toBe('a\nb\n[exit code 0]');
  });

  it('has nothing on stdin', async () => {
    expect(await bash().sh('cat; read -r line || echo end')).toBe('end\n[exit code 0]');
  });

  it('keeps characters whole that arrive in pieces', async () => {
    const command =
      "printf '\\xe2'; sleep 0.1; printf '\\x82\\xac \\xf0\\x9f'; sleep 0.1; printf '\\x98\\x80'";
    expect(await bash().sh(command)).toBe('€ 😀\n[exit code 0]');
  });

  it('shows bytes that are no UTF-8 as U+FFFD', async () => {
    const text = await bash().sh("printf 'a\\xff\\xe2'");
    expect(text).toBe('a\ufffd\ufffd\n[exit code 0]');
  });

  it('refuses a command that is too long for the system', async () => {
    await expect(bash().sh(`: ${'x'.repeat(200_000)}`)).rejects.toThrow('Write it to a file');
  });

  it('refuses a time limit of more than ten minutes', async () => {
    await expect(bash().sh('true', { timeout_seconds: 601 })).rejects.toThrow();
  });

  it('says so when the workspace is gone', async () => {
    const { root, sh } = bash();
    rmSync(root, { recursive: true });
    await expect(sh('true')).rejects.toThrow(`in ${root}`);
  });

  it('falls back to sh where there is no bash', async () => {
    expect(await bash({ PATH: temporaryFolder() }).sh('echo "shell: $0"')).toMatch(
      /^shell: .*\bsh\n\[exit code 0\]$/,
    );
  });
});

describe('the environment of bash', () => {
  it('has no variable that looks like a secret', async () => {
    const secrets = {
      OPENAI_API_KEY: 's3cret',
      GITHUB_TOKEN: 's3cret',
      AWS_SECRET_ACCESS_KEY: 's3cret',
      PGPASSWORD: 's3cret',
      DATABASE_URL: 'postgres://me:s3cret@host/db',
    };
    for (const [name, value] of Object.entries(secrets)) vi.stubEnv(name, value);
    vi.stubEnv('HARMLESS_SETTING', 'kept');
    vi.stubEnv('TOKENIZERS_PARALLELISM', 'kept');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });

    const text = await bash().sh('env');

    expect(text).not.toContain('s3cret');
    expect(text).toContain('HARMLESS_SETTING=kept');
    expect(text).toContain('TOKENIZERS_PARALLELISM=kept');
    expect(text).toContain('PATH=');
  });

  it('has what was added, a secret too, and the key of the call', async () => {
    const { sh } = bash({ NPM_TOKEN: 'given' });
    expect(await sh('echo $NPM_TOKEN $HOLDFAST_IDEMPOTENCY_KEY', {}, { idempotencyKey: 'key-7' })).toBe(
      'given key-7\n[exit code 0]',
    );
  });
});

describe('much output of bash', () => {
  it('keeps the head and the tail and says how much is missing between', async () => {
    const text = await bash().sh("echo begin; head -c 50000 /dev/zero | tr '\\0' x; echo; echo end");
    expect(text.startsWith('begin\nxxx')).toBe(true);
    expect(text.endsWith('xxx\nend\n[exit code 0]')).toBe(true);
    expect(text).toContain('\n[... 20011 characters left out ...]\n');
  });

  it('is given whole up to the limit', async () => {
    const text = await bash().sh("head -c 30000 /dev/zero | tr '\\0' x");
    expect(text).toBe(`${'x'.repeat(30_000)}\n[exit code 0]`);
  });

  it('is not held in memory', async () => {
    const { sh } = bash();
    await sh('true');
    const before = process.memoryUsage().rss;

    const text = await sh('yes 0123456789 | head -c 200000000');

    expect(text).toContain('characters left out');
    expect(text.length).toBeLessThan(30_100);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 2 ** 20);
  });

  it('is cut between characters', async () => {
    const text = await bash().sh("printf a; yes 😀 | head -n 40000 | tr -d '\\n'");
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain('\ufffd');
  });
});

describe('the progress of bash', () => {
  it('is the last line, without colours, while the command runs', async () => {
    const { root, sh } = bash();
    const shown: string[] = [];
    const command = "echo first; printf '\\e[32msecond\\e[0m\\n\\n'; until [ -e go ]; do sleep 0.02; done";

    const running = sh(command, {}, { progress: (text) => shown.push(text) });
    await vi.waitFor(() => expect(shown.at(-1)).toBe('second'), { timeout: 10_000 });
    writeFileSync(join(root, 'go'), '');
    await running;

    expect(shown.at(-1)).toBe('second');
  });

  it('is told about five times a second, well-formed and short, however much there is', async () => {
    const shown: { text: string; at: number }[] = [];
    await bash().sh(
      `yes ${'😀'.repeat(300)} | head -c 50000000`,
      {},
      { progress: (text) => shown.push({ text, at: performance.now() }) },
    );
    await bash().sh(
      'for i in {1..300}; do echo $i; sleep 0.003; done',
      {},
      { progress: (text) => shown.push({ text, at: performance.now() }) },
    );
    const gaps = shown.slice(1).map(({ at }, index) => at - (shown[index]?.at ?? 0));
    expect(shown.length).toBeGreaterThan(3);
    expect(gaps.filter((gap) => gap < 150).length).toBeLessThanOrEqual(1);
    expect(shown.every(({ text }) => text.isWellFormed() && text.length <= 200)).toBe(true);
  });
});

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
