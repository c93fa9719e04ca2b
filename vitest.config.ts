import { defineConfig } from 'vitest/config';

/** These need the Temporal server that the run starts. */
const turns = tests(
  ...['turn', 'cli', 'interventions', 'approvals', 'plugin', 'examples', 'package', 'sub-agents', 'session'],
);
/** These, too; they kill what they start, so that each file has a process of its own. */
const killing = tests('crash', 'mcp');

/** Variants of what others show, for `npm run test:long`: all others together take less than ten minutes on two cores. */
const long = [
  'test/codec/keys-change.test.ts',
  'test/crash/killed-server.test.ts',
  'test/crash/network.test.ts',
  'test/crash/without-supervisor.test.ts',
  'test/doctor/server-speed.test.ts',
  'test/doctor/whole.test.ts',
  'test/interventions/healing.test.ts',
  'test/sub-agents/killed-worker.test.ts',
  'test/turn/fleet.test.ts',
  'test/turn/max-context.test.ts',
  'test/turn/reasoning.test.ts',
];
const skipped = process.env['HOLDFAST_LONG_TESTS'] === '1' ? [] : long;

const endOfFile = 'test/support/after-file-hook.ts';
const temporal = {
  globalSetup: 'test/support/global-setup.ts',
  setupFiles: ['test/support/temporal-address.ts', endOfFile],
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
          exclude: [...turns, ...killing, ...skipped],
          setupFiles: endOfFile,
        },
      },
      {
        extends: true,
        test: { name: 'turns', isolate: false, include: turns, exclude: skipped, ...temporal },
      },
      { extends: true, test: { name: 'killing', include: killing, exclude: skipped, ...temporal } },
    ],
  },
});

function tests(...folders: string[]): string[] {
  return folders.map((folder) => `test/${folder}/**/*.test.ts`);
}
