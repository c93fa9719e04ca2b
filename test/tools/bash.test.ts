import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ToolContext } from '../../src/define/define-tool.js';
import { bash, temporaryFolder } from './workbench.js';

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
    expect(text).toContain('\n[... 20011 characters left out; read on with read_artifact: {');
    expect(text).toContain('"offset":15000} ...]\n');
  });

  it('is kept whole outside of the result, as the bytes that were written', async () => {
    const kept: Buffer[] = [];
    const saveArtifact: ToolContext['saveArtifact'] = async (content) => {
      if (typeof content === 'string' || content instanceof Uint8Array) throw new Error('not in one piece');
      for await (const piece of content.read()) kept.push(Buffer.from(piece));
      return { sha256: 'ab'.repeat(32), bytes: content.bytes };
    };
    for (const bytes of [40_000, 3_000_000]) {
      kept.length = 0;
      const command = `yes $'\\e[32mgreen\\xff' | head -c ${bytes}`;
      const text = await bash().sh(command, {}, { saveArtifact });
      expect(text).not.toContain('\u001b');
      const written = Buffer.from('\u001b[32mgreen\u00ff\n', 'latin1');
      expect(Buffer.concat(kept).equals(Buffer.alloc(bytes, written))).toBe(true);
    }
  });

  it('that cannot be kept is still shown, and says so', async () => {
    const saveArtifact = () => Promise.reject(new Error('no space left'));
    const text = await bash().sh("head -c 50000 /dev/zero | tr '\\0' x", {}, { saveArtifact });
    expect(text).toContain('characters left out; they could not be kept: no space left ...]');
    expect(text).toMatch(/\[exit code 0\]$/);
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
    expect(text.length).toBeLessThan(30_200);
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
