import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentClient } from '../client/agent-client.js';
import { ensureServer } from '../server/embedded.js';
import { DEFAULT_TASK_QUEUE } from '../shared/turn.js';
import { Supervisor, type SupervisorEvent } from '../worker/supervisor.js';
import { checkedCodec } from './codec-settings.js';
import { EXIT_FAILED } from './exit-codes.js';
import { hooksOfFile } from './hooks-file.js';
import { checkNamespace, reach } from './reach-server.js';
import { terminalOf } from './terminal.js';
import { duration } from './turn-printer.js';
import { UsageError } from './usage-error.js';

const PROGRAM = fileURLToPath(new URL('./worker-process.js', import.meta.url));

/** `holdfast worker`: serves the agents that a module exports until SIGTERM or Ctrl-C. Returns the exit code. */
export async function workerCommand(
  module: string,
  options: { taskQueue?: string; hooks?: string },
): Promise<number> {
  const path = resolve(module);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) {
    const what = found ? `${path} is a folder.` : `There is no file ${path}.`;
    throw new UsageError(`${what} Give the module that exports your agents, such as dist/agent.js.`);
  }
  hooksOfFile(options.hooks);
  const codec = checkedCodec();
  const { write, style } = terminalOf(process.stderr);
  const server = await ensureServer({ onProgress: (line) => write(`${style.dim(line)}\n`) });
  const { address, namespace } = server;
  const taskQueue = options.taskQueue ?? DEFAULT_TASK_QUEUE;
  const client = await reach(address, () =>
    AgentClient.connect({ address, namespace, ...(codec && { codec }) }),
  );
  await checkNamespace(client.client);
  const supervisor = new Supervisor({
    program: PROGRAM,
    args: [path, address, namespace, taskQueue, options.hooks ?? ''],
    client: client.client,
    onEvent: (event) => write(`${style.dim(eventLine(event))}\n`),
  });
  const drain = () => {
    write('Finishing what runs. Press Ctrl-C again to leave at once.\n');
    process.once('SIGINT', () => process.exit(EXIT_FAILED));
    supervisor.drain().catch((error: unknown) => write(`${String(error)}\n`));
  };
  process.on('SIGTERM', drain);
  process.once('SIGINT', drain);
  try {
    try {
      await supervisor.start();
    } catch {
      // Its process has said why.
      return EXIT_FAILED;
    }
    if (supervisor.pid) write(`Serving the task queue "${taskQueue}" at ${address}.\n`);
    await supervisor.ended;
    return 0;
  } finally {
    await client.close();
  }
}

function eventLine(event: SupervisorEvent): string {
  switch (event.type) {
    case 'serving':
      return `worker ${event.pid} serves`;
    case 'died':
      return `worker ${event.pid} died (${event.how}) while ${event.activities} activities ran in it`;
    case 'reported':
      return `${event.activities} of them were reported to Temporal after ${duration(event.afterMs)}`;
    default:
      return event satisfies never;
  }
}
