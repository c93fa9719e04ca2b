import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopServer } from '../../src/server/embedded.js';
import { freePorts } from '../../src/server/ports.js';
import { afterFile } from '../support/after-file.js';

/** Options for a server of one test: free ports and data of its own. What the test leaves running is stopped. */
export async function ownServer(): Promise<{
  port: number;
  uiPort: number;
  dataDir: string;
  env: NodeJS.ProcessEnv;
}> {
  const [port = 0, uiPort = 0] = await freePorts(2);
  const dataDir = await temporaryFolder();
  afterFile(() => stopServer({ dataDir }));
  return { port, uiPort, dataDir, env: machineEnv() };
}

/** This machine's environment without settings that would send a test to somebody's server. */
export function machineEnv(changes: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL|HOLDFAST)_/.test(name));
  return { ...Object.fromEntries(kept), ...changes };
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-test-'));
  afterFile(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
