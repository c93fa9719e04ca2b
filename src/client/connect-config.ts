import type { ClientConnectConfig } from '@temporalio/envconfig';

/** Temporal's own. */
const DEFAULT_ADDRESS = 'localhost:7233';

export type ConnectConfig = {
  /** TLS, API key and headers, as Temporal's connections take them. */
  connectionOptions: ClientConnectConfig['connectionOptions'] & { address: string };
  namespace: string;
};

/**
 * Where a client or a worker connects: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_API_KEY`, the
 * `TEMPORAL_TLS_...` variables, or a profile of Temporal's configuration file; what is given wins.
 */
export async function connectConfig(
  given: { address?: string | undefined; namespace?: string | undefined } = {},
): Promise<ConnectConfig> {
  // Loaded here: whoever brings a connection doesn't need it.
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = given.address ?? connectionOptions.address ?? DEFAULT_ADDRESS;
  return {
    connectionOptions: { ...connectionOptions, address },
    namespace: given.namespace ?? namespace ?? 'default',
  };
}
