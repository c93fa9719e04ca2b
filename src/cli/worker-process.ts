// The process that `holdfast worker` supervises.
import { pathToFileURL } from 'node:url';
import type { Agent } from '../define/define-agent.js';
import { connectWorker } from '../worker/connect.js';
import { serveSupervised } from '../worker/supervised-process.js';
import { createWorker } from '../worker.js';
import { hooksOfFile } from './hooks-file.js';
import { installQuietRuntime } from './quiet-runtime.js';

const [, , modulePath = '', address = '', namespace = 'default', taskQueue = '', settings = ''] =
  process.argv;

function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'agent';
}

/** A syntax error does not say of itself which file it is in, and an exit says nothing. */
async function exportsOf(path: string): Promise<Record<string, unknown>> {
  const tellExit = (code: number) =>
    process.stderr.write(
      `The worker can't start: ${path} ended its process when it was loaded (exit code ${code}).\n`,
    );
  process.once('exit', tellExit);
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new Error(`${path} can't be loaded. ${said}${adviceOn(error)}`, { cause: error });
  } finally {
    process.off('exit', tellExit);
  }
}

function adviceOn(error: unknown): string {
  const isForeign = error instanceof Error && 'code' in error && error.code === 'ERR_UNKNOWN_FILE_EXTENSION';
  return isForeign
    ? '\nThis Node.js runs JavaScript only: compile it (npx tsc), and name the file that comes of it.'
    : '';
}

async function agentsOf(path: string): Promise<Agent[]> {
  const exported = await exportsOf(path);
  const agents = [...new Set(Object.values(exported).flat().filter(isAgent))];
  if (agents.length > 0) return agents;
  throw new Error(`${path} exports no agent. Export what defineAgent(...) returns, alone or in a list.`);
}

/** A module may never have loaded: whoever starts it can end it all the same, or be gone. */
const leave = () => {
  process.removeAllListeners('exit');
  process.exit(0);
};

try {
  process.on('message', leave);
  process.on('disconnect', leave);
  installQuietRuntime('WARN');
  const agents = await agentsOf(modulePath);
  const hooks = hooksOfFile(settings || undefined);
  const place = await connectWorker({ address, namespace });
  await serveSupervised(async (onActivity) => {
    const worker = await createWorker({ agents, ...place, taskQueue, onActivity, hooks });
    process.off('message', leave);
    process.off('disconnect', leave);
    return worker;
  });
  process.exit(0);
} catch (error) {
  process.stderr.write(`The worker can't start: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
