import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../examples/python-tool/', import.meta.url));
const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'holdfast');

/** Starts worker.py, so that the example is one command. In yours it is a process of its own. */
export async function startPythonWorker(): Promise<{ stop(): Promise<void> }> {
  const worker = spawn('python3', [join(source, 'worker.py')], {
    stdio: 'inherit',
    env: { ...process.env, PYTHONPATH: installed() },
  });
  await once(worker, 'spawn');
  const ended = once(worker, 'exit');
  process.once('exit', () => worker.kill());
  return {
    async stop() {
      worker.kill();
      await ended;
    },
  };
}

/** The folder with the packages of requirements.txt: installed once, into the user's cache. */
function installed(): string {
  const requirements = join(source, 'requirements.txt');
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(cache, `python-tool-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(`${folder}-`);
  try {
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--only-binary=:all:'];
    execFileSync('python3', [...pip, '--target', work, '-r', requirements], {
      env: { ...process.env, PIP_REQUIRE_VIRTUALENV: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    renameSync(work, folder);
  } catch (error) {
    // Another process may have been faster.
    if (existsSync(folder)) return folder;
    throw new Error(
      `The example needs Python 3.10 with pip and a way to PyPI, for the package temporalio: ${String(error)}`,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}
