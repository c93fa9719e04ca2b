import { readdirSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installProgram, inWorkFolder } from './installed-program.js';
import { lastLine, type ProgramSource } from './program-source.js';
import { runProgram } from './run-program.js';

/** The SDK has no timeouts of its own: this long until the download's file appears, and this long without it growing. */
const CONNECT_TIMEOUT_MS = 5_000;
const STALL_TIMEOUT_MS = 30_000;
const DOWNLOAD_TIMEOUT_MS = 600_000;

/**
 * Runs in a process of its own, for two reasons: @temporalio/testing takes a while to load, and a download by the SDK
 * can't be cancelled, only ended with its process. The SDK downloads and starts in one; the start is thrown away.
 */
const DOWNLOAD_SCRIPT = `
const { TestWorkflowEnvironment } = require(process.argv[1]);
const executable = { type: 'cached-download', downloadDir: process.argv[2] };
TestWorkflowEnvironment.createLocal({ server: { executable } })
  .then((environment) => environment.teardown())
  .then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });
`;

const require = createRequire(import.meta.url);

/** Its name in our cache: another SDK version asks for another program. */
export function sdkInstallName(): string {
  const { version } = require('@temporalio/testing/package.json') as { version: string };
  return `sdk-${version}`;
}

/** The Temporal program as the SDK itself downloads it for tests: the version that its makers chose for this SDK. */
export const sdkDownload: ProgramSource = {
  name: "the Temporal SDK's own download",
  async find({ cacheDir, env, onProgress }) {
    const testing = require.resolve('@temporalio/testing');
    onProgress('Downloading the Temporal server by the Temporal SDK (once)');
    return inWorkFolder(cacheDir, async (folder) => {
      const { output } = await runProgram(process.execPath, ['-e', DOWNLOAD_SCRIPT, testing, folder], {
        timeoutMs: DOWNLOAD_TIMEOUT_MS,
        env,
        endWhen: stallWatch(folder),
      });
      // Not by the exit code: a download that succeeded is worth keeping though the SDK failed to start it.
      const program = (await readdir(folder)).find((file) => !file.endsWith('.downloading'));
      if (program === undefined) return { type: 'failed', reason: lastLine(output) };
      return installProgram(cacheDir, sdkInstallName(), join(folder, program));
    });
  },
};

/** A text once the download in `folder` has not begun, or not grown, for too long. */
function stallWatch(folder: string): () => string | undefined {
  let size = 0;
  let grewAt = Date.now();
  return () => {
    const files = readdirSync(folder);
    const now = files.reduce((sum, file) => sum + sizeOf(join(folder, file)), 0);
    if (now > size) {
      size = now;
      grewAt = Date.now();
    }
    const limit = files.length === 0 ? CONNECT_TIMEOUT_MS : STALL_TIMEOUT_MS;
    if (Date.now() - grewAt <= limit) return undefined;
    return files.length === 0
      ? `no connection within ${limit / 1000} seconds`
      : `no progress for ${limit / 1000} seconds`;
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
