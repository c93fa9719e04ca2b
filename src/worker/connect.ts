import { NativeConnection } from '@temporalio/worker';
import { connectConfig } from '../client/connect-config.js';
import { reached } from '../shared/reached.js';

/** What a worker is reached by, and the namespace that goes with it. */
export type WorkerPlace = { connection: NativeConnection; namespace: string };

/** Connects as clients do. Throws an error that says what to do where no server answers. */
export async function connectWorker(
  given: { address?: string; namespace?: string } = {},
): Promise<WorkerPlace> {
  const { connectionOptions, namespace } = await connectConfig(given);
  const connection = await reached(connectionOptions.address, NativeConnection.connect(connectionOptions));
  return { connection, namespace };
}
