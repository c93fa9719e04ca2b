import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: { name: 'plain', include: ['test/**/*.test.ts'], exclude: ['test/turn/**', 'test/cli/**'] },
      },
      {
        extends: true,
        test: {
          name: 'turns',
          include: ['test/turn/**/*.test.ts', 'test/cli/**/*.test.ts'],
          globalSetup: 'test/support/global-setup.ts',
          setupFiles: 'test/support/temporal-address.ts',
        },
      },
    ],
  },
});
