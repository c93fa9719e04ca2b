import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT_INTERRUPTED } from '../cli/exit-codes.js';
import { checkNamespace, reach } from '../cli/reach-server.js';
import { StopSignals } from '../cli/stop-signals.js';
import { type Terminal, terminalOf } from '../cli/terminal.js';
import { duration, TurnPrinter } from '../cli/turn-printer.js';
import { UsageError } from '../cli/usage-error.js';
import { turnLink } from '../cli/web-ui.js';
import { AgentClient } from '../client/agent-client.js';
import { TurnFailed } from '../client/errors.js';
import type { TurnHandle } from '../client/turn-handle.js';
import { ensureServer } from '../server/embedded.js';
import { Supervisor } from '../worker/supervisor.js';
import { type KillReport, killInTheMiddle } from './kill-in-the-middle.js';
import { Ledger } from './ledger.js';
import { REPORT_PATH } from './script.js';
import { countExecutions } from './verdict.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));

/**
 * A real turn on this folder, with a model that follows a script. Its worker is killed while `write_file` runs, and
 * another one goes on. What it says of executions is counted from a ledger that the tools' own processes wrote.
 * Returns the exit code: 0 only if the report was written and each call ran once, 130 if it was interrupted.
 */
export async function demo(root: string): Promise<number> {
  const terminal = terminalOf(process.stdout);
  const { style, write } = terminal;
  const reportPath = join(root, REPORT_PATH);
  removeReport(reportPath);
  const signals = new StopSignals();
  const server = await ensureServer({ onProgress: (line) => write(`${style.dim(line)}\n`) });
  const { address, namespace } = server;
  const taskQueue = `holdfast-demo-${randomUUID()}`;
  const client = await reach(address, () => AgentClient.connect({ address, namespace, taskQueue }));
  await checkNamespace(client.client);
  signals.starting();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
  const ledger = new Ledger(join(folder, 'ledger.jsonl'));
  const supervisor = new Supervisor({
    program: WORKER,
    args: [address, namespace, taskQueue, root, ledger.path],
    client: client.client,
  });
  try {
    await supervisor.start();
    write(`${style.bold('A durable turn, with a scripted model and real tools.')}\n`);
    const prompt = `Write a report on the largest source files into ${REPORT_PATH}.`;
    const turnId = `demo-${randomUUID().slice(0, 8)}`;
    const turn = await client.start('coder', prompt, { turnId, stream: true });
    signals.watch(turn);
    const link = turnLink(server, turn.turnId);
    if (link) write(`Watch it in the Web UI: ${link}\n\n`);
    const kill = await killInTheMiddle(turn, ledger, supervisor, new TurnPrinter(terminal));
    const end = await endOf(turn, terminal);
    if (end === 'interrupted') {
      write('The demo was interrupted: its turn has ended, and nothing of it runs any more.\n');
      return EXIT_INTERRUPTED;
    }
    const proven = tellVerdict(ledger, kill, reportPath, terminal);
    if (link) write(`Web UI: ${link}\n`);
    write(
      style.dim(
        'Temporal goes on in the background, so that the link works. Stop it with: npx holdfast server stop\n',
      ),
    );
    return end === 'completed' && proven ? 0 : 1;
  } finally {
    await supervisor.drain();
    await client.close();
    rmSync(folder, { recursive: true });
    signals.release();
  }
}

function removeReport(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`The demo writes its report to ${path}, which is a folder. Move it away.`);
  }
  rmSync(path, { force: true });
}

async function endOf(turn: TurnHandle, { write, style }: Terminal): Promise<string> {
  try {
    return (await turn.result()).type;
  } catch (error) {
    if (!(error instanceof TurnFailed)) throw error;
    write(`${style.red(`The turn failed: ${error.type}: ${error.message}`)}\n`);
    return 'failed';
  }
}

/** Whether it shows what the demo is to show: a kill, the report, and each call run once. */
function tellVerdict(ledger: Ledger, kill: KillReport, reportPath: string, terminal: Terminal): boolean {
  const { write, style } = terminal;
  const verdict = countExecutions(ledger.read());
  write(`\n${style.bold('What the ledger of real executions says')}\n`);
  for (const line of verdict.lines) write(`  ${line}\n`);
  if (!kill.killed) write('  no worker was killed: write_file never took effect\n');
  else if (kill.resumedAfterMs === undefined) write('  the turn did not go on after the kill\n');
  else write(`  resumed after ${duration(kill.resumedAfterMs)}\n`);
  const written = statSync(reportPath, { throwIfNoEntry: false })?.isFile() === true;
  write(`\nReport: ${written ? reportPath : 'missing'}\n`);
  return written && verdict.eachRanOnce && kill.killed;
}
