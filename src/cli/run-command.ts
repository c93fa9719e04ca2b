import { randomUUID } from 'node:crypto';

import { AgentClient } from '../client/agent-client.js';
import type { TurnHandle } from '../client/turn-handle.js';
import type { Agent } from '../define/define-agent.js';
import { ensureServer, type TemporalServer } from '../server/embedded.js';
import type { Message } from '../shared/messages.js';
import type { PermissionMode } from '../shared/permissions.js';
import type { PromptPart } from '../shared/prompt-parts.js';
import { TURN_ID } from '../shared/turn.js';
import { connectWorker } from '../worker/connect.js';
import { createWorker } from '../worker.js';
import { promptWith } from './attachments.js';
import { checkedCodec } from './codec-settings.js';
import { coder, turnQueue } from './coder.js';
import { EXITS_AT_LIMIT } from './exit-codes.js';
import { howToGoOn } from './go-on.js';
import { hooksOfFile } from './hooks-file.js';
import { type LimitOptions, limitsOf } from './limit-options.js';
import { modelOf } from './model-access.js';
import type { Place } from './open-client.js';
import { installQuietRuntime } from './quiet-runtime.js';
import { checkNamespace, duringTurn, reach } from './reach-server.js';
import type { StopSignals } from './stop-signals.js';
import { terminalOf } from './terminal.js';
import { printJson, printText } from './turn-report.js';
import { findTurn } from './turns/find-turn.js';
import { UsageError } from './usage-error.js';
import { turnLink } from './web-ui.js';
import { workspace } from './workspace.js';

export type RunOptions = LimitOptions & {
  workspace: string;
  model?: string;
  continue?: string;
  mode?: PermissionMode;
  turnId?: string;
  attach?: string[];
  agentsFile?: boolean;
  /** A settings file. */
  hooks?: string;
  json?: boolean;
};

/** What a turn that goes on is asked where nothing else is said. */
const GO_ON = 'Go on.';

/** What a run is of, all of it checked. */
type Run = {
  prompt: string | PromptPart[];
  turnId: string;
  root: string;
  model: string;
  taskQueue: string;
  agent: Agent;
};

/**
 * `holdfast run`: one turn of the coder on a folder, with a worker in this process. Returns the exit code. Where it
 * throws, a connection may still be on its way: the caller is to end the process.
 */
export async function runCommand(
  prompt: string | undefined,
  options: RunOptions,
  signals: StopSignals,
): Promise<number> {
  const startedAt = performance.now();
  const run = await checked(prompt, options);
  const { write, style } = terminalOf(process.stderr);
  installQuietRuntime();
  const server = await ensureServer({ onProgress: (line) => write(`${style.dim(line)}\n`) });
  // Side by side: each takes a good part of a cold start.
  const connecting = connectClient(run, server);
  const [client, { connection, worker }] = await Promise.all([
    connecting,
    makeWorker(run, server, connecting),
  ]);
  let served: Promise<void> | undefined;
  try {
    signals.starting();
    const turn = await startTurn({ client, server }, run, options);
    signals.watch(turn);
    served = worker.run();
    if (!options.json) write(style.dim(firstLine(turn, server)));
    const watched = options.json ? printJson(turn) : printText(turn, server, startedAt);
    // A worker ends before its turn only by a fault.
    const exitCode = await Promise.race([watched, served.then(() => watched)]);
    if (!options.json && EXITS_AT_LIMIT.includes(exitCode))
      write(howToGoOn(turn.turnId, options, await turn.result()));
    return exitCode;
  } catch (error) {
    throw duringTurn(error, server.address, run.turnId);
  } finally {
    signals.release();
    // One that never ran would hold on to its connection.
    served ??= worker.run();
    if (worker.getState() === 'RUNNING') worker.shutdown();
    await served.catch(() => undefined);
    await Promise.all([client.close(), connection.close()]);
  }
}

/** Throws a UsageError for what no turn can start with. */
async function checked(given: string | undefined, options: RunOptions): Promise<Run> {
  const { turnId = randomUUID() } = options;
  const prompt = given ?? (options.continue === undefined ? '' : GO_ON);
  checkedCodec();
  if (prompt.trim() === '') throw new UsageError('The prompt is empty. Say what the agent is to do.');
  if (!TURN_ID.test(turnId)) {
    throw new UsageError(
      `The turn id ${JSON.stringify(turnId)} can't be one: use letters, digits and . _ : / -, 200 at most.`,
    );
  }
  const root = workspace(options.workspace);
  const model = await modelOf(process.env, options.model);
  const { agentsFile = true } = options;
  const hooks = hooksOfFile(options.hooks, root);
  return {
    agent: coder(root, model, { agentsFile, hooks }),
    prompt: promptWith(prompt, options.attach ?? []),
    turnId,
    root,
    model,
    taskQueue: turnQueue(root, turnId),
  };
}

async function connectClient({ taskQueue }: Run, { address, namespace }: TemporalServer) {
  const client = await reach(address, () => AgentClient.connect({ address, namespace, taskQueue }));
  await checkNamespace(client.client);
  return client;
}

/** `checked`: what finds out that a worker can't be; it says so in better words than the worker would. */
async function makeWorker(
  { agent, taskQueue }: Run,
  { address, namespace }: TemporalServer,
  checked: Promise<unknown>,
) {
  const [place] = await Promise.all([reach(address, () => connectWorker({ address, namespace })), checked]);
  const agents = [agent];
  return { connection: place.connection, ...(await createWorker({ agents, ...place, taskQueue })) };
}

/** Throws a UsageError for a turn of another folder: the worker of this one would never be given its tasks. */
async function startTurn(
  place: Place,
  { prompt, turnId, root, taskQueue }: Run,
  options: RunOptions,
): Promise<TurnHandle> {
  const { client } = place;
  const { mode } = options;
  const transcript = options.continue === undefined ? undefined : await transcriptOf(place, options.continue);
  const turn = await client.start('coder', prompt, {
    turnId,
    stream: true,
    metadata: { workspace: root },
    limits: limitsOf(options),
    ...(transcript && { transcript }),
    ...(mode !== undefined && { mode }),
  });
  if (!turn.attached) return turn;
  const described = await client.client.workflow.getHandle(turnId).describe();
  if (described.status.name === 'RUNNING' && described.taskQueue !== taskQueue) {
    throw new UsageError(
      `The turn ${turnId} belongs to another folder (task queue ${described.taskQueue}). Name that one with --workspace.`,
    );
  }
  return turn;
}

/** Of an earlier turn, which another one goes on with. */
async function transcriptOf(place: Place, name: string): Promise<Message[]> {
  const { workflowId, status } = await findTurn(place, name);
  if (status.name === 'RUNNING')
    throw new UsageError(`The turn ${workflowId} still runs. See what it does: holdfast watch ${workflowId}`);
  return await place.client.turn(workflowId).transcript();
}

/** Printed before anything happens, so that a run that is killed can be gone on with. */
function firstLine(turn: TurnHandle, server: TemporalServer): string {
  const link = turnLink(server, turn.turnId);
  return `turn ${turn.turnId}${link ? ` · ${link}` : ''}\n`;
}
