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
  const { address } = connectionOptions;
  const options = { ...connectionOptions, ...(isThisMachine(address) && { grpcCompression: NONE }) };
  const connection = await reached(address, NativeConnection.connect(options));
  return { connection, namespace };
}

const NONE = { codec: 'none' } as const;
const LOOPBACK = /^(?:https?:\/\/)?(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?\/?$/i;

/**
 * Whether a server's address is one of this machine's own. By default the SDK compresses what a worker and its server tell
 * each other, which takes each 5 % of a short iteration, and saves nothing where no wire is between them.
 */
export function isThisMachine(address: string): boolean {
  return LOOPBACK.test(address);
}
