import { NativeConnection } from '@temporalio/worker';
import { reached } from '../shared/reached.js';

const DEFAULT_ADDRESS = 'localhost:7233';

/** What a worker is reached by, and the namespace that goes with it. */
export type WorkerPlace = { connection: NativeConnection; namespace: string };

/**
 * Connects as clients do: by `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_API_KEY`, the `TEMPORAL_TLS_...`
 * variables, or a profile of Temporal's configuration file; what is given wins. Throws an error that says what to do
 * where no server answers.
 */
export async function connectWorker(
  given: { address?: string; namespace?: string } = {},
): Promise<WorkerPlace> {
  // Loaded here: whoever brings a connection doesn't need it.
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = given.address ?? connectionOptions.address ?? DEFAULT_ADDRESS;
  const connection = await reached(address, NativeConnection.connect({ ...connectionOptions, address }));
  return { connection, namespace: given.namespace ?? namespace ?? 'default' };
}
