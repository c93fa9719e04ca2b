import { connect, createServer } from 'node:net';

/** True where something accepts a TCP connection within `timeoutMs`; on loopback a refusal takes under a millisecond. */
export function portAccepts(host: string, port: number, timeoutMs = 500): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.setTimeout(timeoutMs, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}

/** The loopback address, IPv4 before IPv6, on which something listens at `port`. */
export async function listeningHost(port: number): Promise<'127.0.0.1' | '[::1]' | undefined> {
  if (await portAccepts('127.0.0.1', port)) return '127.0.0.1';
  if (await portAccepts('::1', port)) return '[::1]';
  return undefined;
}

/** Distinct ports of 127.0.0.1 that are free now. Nothing reserves them: who binds one must expect to lose the race. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenAnywhere));
  const ports = servers.map(({ port }) => port);
  await Promise.all(servers.map(({ close }) => close()));
  return ports;
}

function listenAnywhere(): Promise<{ port: number; close: () => Promise<void> }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const bound = server.address();
      if (bound === null || typeof bound === 'string') {
        reject(new Error(`A TCP server on 127.0.0.1 has no port: ${bound}`));
        return;
      }
      resolve({ port: bound.port, close: () => new Promise((done) => server.close(() => done())) });
    });
  });
}
