import type { ClientConnectConfig } from '@temporalio/envconfig';

/** Temporal's own, and that of `holdfast server`. */
const DEFAULT_PORT = '7233';

export type ConnectConfig = {
  /** TLS, API key and headers, as Temporal's connections take them. */
  connectionOptions: ClientConnectConfig['connectionOptions'] & { address: string };
  namespace: string;
};

/**
 * Where a client or a worker connects: `TEMPORAL_ADDRESS`, `TEMPORAL_NAMESPACE`, `TEMPORAL_API_KEY`, the
 * `TEMPORAL_TLS_...` variables, or a profile of Temporal's configuration file; what is given wins. Else this machine's
 * server, at `HOLDFAST_PORT` or 7233.
 */
export async function connectConfig(
  given: { address?: string | undefined; namespace?: string | undefined } = {},
): Promise<ConnectConfig> {
  // Loaded here: whoever brings a connection doesn't need it.
  const { loadClientConnectConfig } = await import('@temporalio/envconfig');
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const here = `localhost:${process.env['HOLDFAST_PORT'] || DEFAULT_PORT}`;
  const address = given.address ?? connectionOptions.address ?? here;
  return {
    connectionOptions: { ...connectionOptions, address },
    namespace: given.namespace ?? namespace ?? 'default',
  };
}
