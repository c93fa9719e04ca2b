import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startTemporaryServer } from '../../src/server/temporary-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
    artifactFolder: string;
  }
}

/** One real Temporal server for the whole run; tests keep apart by task queue. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTemporaryServer({ ui: false, onProgress: (line) => console.log(line) });
  project.provide('temporalAddress', server.address);
  const artifactFolder = await mkdtemp(join(tmpdir(), 'holdfast-artifacts-'));
  project.provide('artifactFolder', artifactFolder);
  return async () => {
    await server.stop();
    await rm(artifactFolder, { recursive: true, force: true });
  };
}
