import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { AgentClient } from '../client/agent-client.js';
import { TurnFailed } from '../client/errors.js';
import type { FinishedTurn, TurnHandle } from '../client/turn-handle.js';
import { ensureServer, type TemporalServer } from '../server/embedded.js';
import { createWorker } from '../worker.js';
import { coder, folderQueue } from './coder.js';
import { EXIT_FAILED, EXIT_INTERRUPTED, exitCodeOf } from './exit-codes.js';
import { modelOf } from './model-access.js';
import { type Terminal, terminalOf } from './terminal.js';
import { duration, TurnPrinter } from './turn-printer.js';
import { UsageError } from './usage-error.js';
import { turnLink } from './web-ui.js';

export type RunOptions = {
  workspace: string;
  model?: string;
  iterations?: number;
  turnId?: string;
  json?: boolean;
};

/** `holdfast run`: one turn of the coder on a folder, with a worker in this process. Returns the exit code. */
export async function runCommand(prompt: string, options: RunOptions): Promise<number> {
  const startedAt = performance.now();
  const root = workspace(options.workspace);
  const model = await modelOf(process.env, options.model);
  const errors = terminalOf(process.stderr);
  // Ctrl-C is for the turn; by default it would stop the worker, which the turn needs to settle.
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const server = await ensureServer({ onProgress: (line) => errors.write(`${errors.style.dim(line)}\n`) });
  const { address, namespace } = server;
  const taskQueue = folderQueue(root);
  const startTurn = async () => {
    const client = await AgentClient.connect({ address, namespace, taskQueue });
    const turn = await client.start('coder', prompt, {
      turnId: options.turnId ?? randomUUID(),
      stream: true,
      metadata: { workspace: root },
      ...(options.iterations !== undefined && { limits: { iterations: options.iterations } }),
    });
    return { client, turn };
  };
  const startWorker = async () => {
    const connection = await NativeConnection.connect({ address });
    const agents = [coder(root, model)];
    return { connection, ...(await createWorker({ agents, connection, namespace, taskQueue })) };
  };
  const [{ client, turn }, { connection, worker }] = await Promise.all([startTurn(), startWorker()]);
  const served = worker.run();
  try {
    const release = interruptOnCtrlC(turn, errors);
    const end = options.json ? await printJson(turn) : await printText(turn, server, startedAt);
    release();
    return end;
  } finally {
    worker.shutdown();
    await served;
    await Promise.all([client.close(), connection.close()]);
  }
}

function workspace(path: string): string {
  if (!existsSync(path))
    throw new UsageError(`There is no folder ${path}. Give an existing one with --workspace.`);
  return realpathSync(path);
}

/** The first Ctrl-C interrupts the turn; a second one leaves it to its fate. Returns what takes this back. */
function interruptOnCtrlC(turn: TurnHandle, errors: Terminal): () => void {
  let asked = false;
  const onSignal = () => {
    if (asked) process.exit(EXIT_INTERRUPTED);
    asked = true;
    errors.write('\nInterrupting the turn. Press Ctrl-C again to leave without waiting.\n');
    turn
      .interrupt('Ctrl-C')
      .catch((error: unknown) => errors.write(`It could not be interrupted: ${String(error)}\n`));
  };
  process.on('SIGINT', onSignal);
  return () => process.off('SIGINT', onSignal);
}

/** One event a line, and last the outcome. */
async function printJson(turn: TurnHandle): Promise<number> {
  for await (const event of turn.events()) process.stdout.write(`${JSON.stringify(event)}\n`);
  const end = await endOf(turn);
  process.stdout.write(`${JSON.stringify({ type: 'outcome', ...end.shown })}\n`);
  return end.exitCode;
}

async function printText(turn: TurnHandle, server: TemporalServer, startedAt: number): Promise<number> {
  const terminal = terminalOf(process.stdout);
  const { style } = terminal;
  const printer = new TurnPrinter(terminal);
  for await (const event of turn.events()) printer.print(event);
  const end = await endOf(turn);
  const took = duration(performance.now() - startedAt);
  if (end.kind === 'failed' && end.exitCode !== EXIT_INTERRUPTED) {
    printer.note(style.red(`${end.error.type}: ${end.error.message}`));
  }
  const { usage, iterations } = end.kind === 'finished' ? end.outcome : (end.error.outcome ?? {});
  const tokens = usage ? ` · ${usage.inputTokens} tokens in, ${usage.outputTokens} out` : '';
  const calls = iterations === undefined ? '' : ` · ${iterations} model calls`;
  printer.note(style.dim(`${end.label}${calls}${tokens} · ${took}`));
  const link = turnLink(server, turn.turnId);
  if (link) printer.note(style.dim(`Web UI: ${link}`));
  return end.exitCode;
}

type End = { exitCode: number; label: string; shown: object } & (
  | { kind: 'finished'; outcome: FinishedTurn }
  | { kind: 'failed'; error: TurnFailed }
);

async function endOf(turn: TurnHandle): Promise<End> {
  try {
    const outcome = await turn.result();
    return {
      kind: 'finished',
      outcome,
      exitCode: exitCodeOf(outcome.type),
      label: outcome.type,
      shown: { outcome },
    };
  } catch (error) {
    if (!(error instanceof TurnFailed)) throw error;
    const { status, type, message, outcome } = error;
    const interrupted = status === 'CANCELED';
    return {
      kind: 'failed',
      error,
      exitCode: interrupted ? EXIT_INTERRUPTED : EXIT_FAILED,
      label: interrupted ? 'interrupted' : 'failed',
      shown: { status, failure: { type, message }, ...(outcome && { outcome }) },
    };
  }
}
