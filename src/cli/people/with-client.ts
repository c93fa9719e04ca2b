import { AgentClient } from '../../client/agent-client.js';
import { serverStatus } from '../../server/embedded.js';
import { checkedCodec } from '../codec-settings.js';
import { reach, ServerUnreachable } from '../reach-server.js';

/** Runs `use` with a client of the server that is there; it starts none, which would have no turns that wait. */
export async function withClient<Result>(use: (client: AgentClient) => Promise<Result>): Promise<Result> {
  checkedCodec();
  const address = process.env['TEMPORAL_ADDRESS'] ?? (await ourServer());
  const client = await reach(address, () => AgentClient.connect({ address }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function ourServer(): Promise<string> {
  const status = await serverStatus();
  if (status.state === 'running') return status.address;
  throw new ServerUnreachable(
    'No Temporal server of Holdfast runs. Start it, with the turns that it has on disk: holdfast server start\n' +
      'Or name another one: export TEMPORAL_ADDRESS=host:port',
  );
}
