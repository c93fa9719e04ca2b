import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { build } from 'vite';
import type { EnsureServerOptions, TemporalServer } from '../../src/server/embedded.js';
import { afterFile } from '../support/after-file.js';

const root = join(import.meta.dirname, '..', '..');
let built: Promise<string> | undefined;

/** Where the modules under test are as JavaScript, for processes other than this one; built once for a test file. */
function modules(): Promise<string> {
  built ??= buildModules();
  return built;
}

async function buildModules(): Promise<string> {
  // Among the dependencies, so that theirs resolve.
  const folder = await mkdtemp(join(root, 'node_modules', '.holdfast-test-'));
  afterFile(async () => {
    built = undefined;
    await rm(folder, { recursive: true, force: true });
  });
  const input = {
    embedded: join(root, 'src/server/embedded.ts'),
    temporary: join(root, 'src/server/temporary-server.ts'),
  };
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: true,
      outDir: folder,
      rolldownOptions: { input, output: { entryFileNames: '[name].mjs' } },
    },
  });
  return folder;
}

/** Calls ensureServer in a process of its own, and comes back when that process has ended and closed its output. */
export async function ensureServerInProcess({
  env,
  ...options
}: EnsureServerOptions): Promise<TemporalServer> {
  const script = `
    const { ensureServer } = await import(${JSON.stringify(join(await modules(), 'embedded.mjs'))});
    console.log(JSON.stringify(await ensureServer(${JSON.stringify(options)})));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env,
  });
  return JSON.parse(stdout) as TemporalServer;
}

/** Starts a temporary server in a process of its own, and ends that process by SIGKILL. */
export async function crashedParentOfTemporaryServer(env: NodeJS.ProcessEnv): Promise<{ address: string }> {
  const script = `
    const { startTemporaryServer } = await import(${JSON.stringify(join(await modules(), 'temporary.mjs'))});
    const { address } = await startTemporaryServer({ ui: false });
    console.log(JSON.stringify({ address }));
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const exited = once(parent, 'exit');
  parent.kill('SIGKILL');
  await exited;
  return JSON.parse(line.toString()) as { address: string };
}

/** Calls ensureServer in a process of its own, and ends that by SIGKILL once the server's process is there. */
export async function killWhileItStartsAServer({
  env,
  ...options
}: EnsureServerOptions & { dataDir: string }): Promise<void> {
  const script = `
    const { ensureServer } = await import(${JSON.stringify(join(await modules(), 'embedded.mjs'))});
    await ensureServer(${JSON.stringify(options)});
    setInterval(() => {}, 1000);`;
  const starter = spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio: 'ignore' });
  const exited = once(starter, 'exit');
  while (!existsSync(join(options.dataDir, 'server.json'))) await delay(5);
  starter.kill('SIGKILL');
  await exited;
}
