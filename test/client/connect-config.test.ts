import { expect, test, vi } from 'vitest';
import { connectConfig } from '../../src/client/connect-config.js';

type Told = { given?: string; address?: string; port?: string };

test.each<[Told, string]>([
  [{ given: 'a.example:1', address: 'b.example:2', port: '7333' }, 'a.example:1'],
  [{ address: 'b.example:2', port: '7333' }, 'b.example:2'],
  [{ port: '7333' }, 'localhost:7333'],
  [{ port: '' }, 'localhost:7233'],
  [{}, 'localhost:7233'],
])('with %j workers and clients connect to %s', async ({ given, address, port }, expected) => {
  vi.stubEnv('TEMPORAL_ADDRESS', address);
  vi.stubEnv('HOLDFAST_PORT', port);
  vi.stubEnv('TEMPORAL_CONFIG_FILE', '/nowhere/temporal.toml');
  const { connectionOptions } = await connectConfig({ address: given });
  vi.unstubAllEnvs();
  expect(connectionOptions.address).toBe(expected);
});
