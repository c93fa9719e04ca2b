import { defineConfig } from 'vitest/config';

/** These need the Temporal server that the run starts. */
const turns = [
  ...['turn', 'cli', 'interventions', 'approvals', 'crash', 'mcp', 'plugin', 'examples', 'package'],
  ...['sub-agents', 'session'],
].map((folder) => `test/${folder}/**/*.test.ts`);

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
        test: { name: 'plain', include: ['test/**/*.test.ts'], exclude: turns },
      },
      {
        extends: true,
        test: {
          name: 'turns',
          include: turns,
          globalSetup: 'test/support/global-setup.ts',
          setupFiles: 'test/support/temporal-address.ts',
        },
      },
    ],
  },
});
