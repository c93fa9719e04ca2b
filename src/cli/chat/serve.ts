import { fileURLToPath } from 'node:url';
import type { Agent } from '../../define/define-agent.js';
import type { TemporalServer } from '../../server/embedded.js';
import { connectWorker } from '../../worker/connect.js';
import { Supervisor } from '../../worker/supervisor.js';
import { createWorker } from '../../worker.js';
import { coder } from '../coder.js';
import { hooksOfFile } from '../hooks-file.js';
import { modelOf } from '../model-access.js';
import type { Place } from '../open-client.js';
import { reach } from '../reach-server.js';
import { pollersOf } from '../turns/pollers.js';
import { UsageError } from '../usage-error.js';
import { modulePath } from '../worker-command.js';
import type { OpenedSession } from './open-session.js';

/** Who does the session's work. `ended` rejects where a worker of this chat's ends by a fault. */
export type Serving = {
  /** This chat's own: without it nothing goes on, unless others serve the session, too. */
  isOwn: boolean;
  ended: Promise<void>;
  stop(): Promise<void>;
};

export type ServeOptions = { model?: string; module?: string; hooks?: string; agentsFile?: boolean };

const WORKER = fileURLToPath(new URL('../worker-process.js', import.meta.url));

const byOthers: Serving = {
  isOwn: false,
  ended: new Promise<void>(() => undefined),
  stop: async () => undefined,
};

/** A worker for the coder in this process; for agents of a module one of its own, where nobody serves them yet. */
export async function serve(
  place: Place,
  { root, taskQueue }: OpenedSession,
  { model, module, hooks: file, agentsFile = true }: ServeOptions,
): Promise<Serving> {
  if (root !== undefined) {
    const hooks = hooksOfFile(file, root);
    const agent = coder(root, await modelOf(process.env, model), { agentsFile, hooks });
    return await serveCoder(place.server, agent, taskQueue);
  }
  const isServed = (await pollersOf(place.client.client, taskQueue)).length > 0;
  return module === undefined || isServed
    ? byOthers
    : await serveModule(place, [modulePath(module), taskQueue, file]);
}

async function serveCoder(
  { address, namespace }: TemporalServer,
  agent: Agent,
  taskQueue: string,
): Promise<Serving> {
  const place = await reach(address, () => connectWorker({ address, namespace }));
  const { worker } = await createWorker({ agents: [agent], ...place, taskQueue });
  const ended = worker.run();
  return {
    isOwn: true,
    ended,
    stop: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended.catch(() => undefined);
      await place.connection.close();
    },
  };
}

async function serveModule(
  { client, server }: Place,
  [path, taskQueue, hooks = '']: [path: string, taskQueue: string, hooks?: string | undefined],
): Promise<Serving> {
  const supervisor = new Supervisor({
    program: WORKER,
    args: [path, server.address, server.namespace, taskQueue, hooks],
    client: client.client,
    onEvent: () => undefined,
  });
  try {
    await supervisor.start();
  } catch {
    throw new UsageError(`The agents of ${path} can't be served: what its process said is above.`);
  }
  return {
    isOwn: true,
    ended: supervisor.ended.then(() => undefined),
    stop: async () => {
      await supervisor.drain();
      await supervisor.ended;
    },
  };
}
