type Cleanup = () => unknown;

const cleanups: Cleanup[] = [];

/**
 * Runs something at the end of the test file that is running, whose modules ask for it in their tests. Files share a
 * process and its modules: an `afterAll` at the top of a shared module would run after the first of them only.
 */
export function afterFile(cleanup: Cleanup): void {
  cleanups.push(cleanup);
}

/** Everything that was asked for, the last one first, as vitest does with its own hooks. */
export async function runAfterFile(): Promise<void> {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
}
