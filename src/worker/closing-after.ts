import type { WorkerPlugin } from '@temporalio/worker';

/** Closes something when the worker has ended, however it did: until then activities may use it. */
export function closingAfter(open: { close(): Promise<void> }): WorkerPlugin {
  return {
    name: 'holdfast.closingAfter',
    async runWorker(worker, run) {
      try {
        await run(worker);
      } finally {
        await open.close();
      }
    },
  };
}
