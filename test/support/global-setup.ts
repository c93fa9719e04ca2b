import type { TestProject } from 'vitest/node';
import { startTemporaryServer } from '../../src/server/temporary-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    temporalAddress: string;
  }
}

/** One real Temporal server for the whole run; tests keep apart by task queue. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTemporaryServer({ ui: false, onProgress: (line) => console.log(line) });
  project.provide('temporalAddress', server.address);
  return () => server.stop();
}
