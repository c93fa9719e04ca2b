import { AgentClient } from '../client/agent-client.js';
import { findServer, type TemporalServer } from '../server/embedded.js';
import { resolveSettings } from '../server/settings.js';
import { checkedCodec } from './codec-settings.js';
import { reach, ServerUnreachable, whileLooking } from './reach-server.js';

/** Where the turns are that a command looks at. */
export type Place = { client: AgentClient; server: TemporalServer };

/** Runs `use` with a client of the server that is there. It starts none: that would be one without the turns asked for. */
export async function withPlace<Result>(use: (place: Place) => Promise<Result>): Promise<Result> {
  checkedCodec();
  const server = await findServer();
  if (!server) {
    throw new ServerUnreachable(
      `No Temporal server answers on this machine (port ${resolveSettings({}).port}).\n` +
        'Start the one that comes with Holdfast, with the turns that it has on disk: holdfast server start\n' +
        'Or name another one: export TEMPORAL_ADDRESS=host:port',
    );
  }
  const { address, namespace } = server;
  const client = await reach(address, () => AgentClient.connect({ address, namespace }));
  try {
    return await use({ client, server });
  } catch (error) {
    throw whileLooking(error, address);
  } finally {
    await client.close();
  }
}
