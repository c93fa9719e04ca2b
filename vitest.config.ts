import { defineConfig } from 'vitest/config';

/** These need the Temporal server that the run starts. */
const turns = tests(
  ...['turn', 'cli', 'interventions', 'approvals', 'plugin', 'examples', 'package', 'sub-agents', 'session'],
);
/** These, too; they kill what they start, so that each file has a process of its own. */
const killing = tests('crash', 'mcp');

const temporal = {
  globalSetup: 'test/support/global-setup.ts',
  setupFiles: 'test/support/temporal-address.ts',
};

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One more than CI has cores: many tests wait for a retry, a timeout or a process.
    maxWorkers: 3,
    // CI's machines are shared: a test that a stall has failed gets one more try, which the report shows.
    retry: process.env['CI'] ? 1 : 0,
    projects: [
      {
        extends: true,
        // Files share a process: loading Temporal's packages anew for each took a fifth of the whole.
        test: {
          name: 'plain',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...turns, ...killing],
        },
      },
      { extends: true, test: { name: 'turns', isolate: false, include: turns, ...temporal } },
      { extends: true, test: { name: 'killing', include: killing, ...temporal } },
    ],
  },
});

function tests(...folders: string[]): string[] {
  return folders.map((folder) => `test/${folder}/**/*.test.ts`);
}
