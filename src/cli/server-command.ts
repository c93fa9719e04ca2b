import { AgentClient } from '../client/agent-client.js';
import { ensureServer, serverStatus, stopServer } from '../server/embedded.js';
import { reach } from './reach-server.js';

export async function startServerCommand(): Promise<void> {
  const server = await ensureServer({ onProgress: (line) => process.stderr.write(`${line}\n`) });
  const { address, namespace } = server;
  // Its word for it was taken.
  if (server.source === 'TEMPORAL_ADDRESS') {
    const client = await reach(address, () => AgentClient.connect({ address, namespace, codec: {} }));
    await client.close();
  }
  const how =
    server.source === 'started'
      ? 'started'
      : server.source === 'running'
        ? 'already runs'
        : 'is named by TEMPORAL_ADDRESS or a profile, and answers';
  process.stdout.write(
    `Temporal ${how} at ${server.address}${server.uiUrl ? `, Web UI ${server.uiUrl}` : ''}\n`,
  );
}

/** Exit code 0 where it runs, 1 where it doesn't. */
export async function serverStatusCommand(): Promise<number> {
  const status = await serverStatus();
  if (status.state === 'stopped') {
    process.stdout.write(`Not running. Its data are in ${status.dataDir}\n`);
    return 1;
  }
  const answers = status.state === 'running' ? 'runs' : 'is there but does not answer';
  process.stdout.write(
    `Temporal ${answers}: pid ${status.pid}, ${status.address}, Web UI ${status.uiUrl ?? 'none'}, log ${status.logFile}\n`,
  );
  return status.state === 'running' ? 0 : 1;
}

export async function stopServerCommand(): Promise<void> {
  const { stoppedPid } = await stopServer();
  process.stdout.write(stoppedPid === undefined ? 'It was not running.\n' : `Stopped (pid ${stoppedPid}).\n`);
}
