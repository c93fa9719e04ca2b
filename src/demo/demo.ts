import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { terminalOf } from '../cli/terminal.js';
import { duration, TurnPrinter } from '../cli/turn-printer.js';
import { turnLink } from '../cli/web-ui.js';
import { AgentClient } from '../client/agent-client.js';
import type { TurnHandle } from '../client/turn-handle.js';
import { ensureServer } from '../server/embedded.js';
import type { TurnEvent } from '../shared/events.js';
import { Supervisor } from '../worker/supervisor.js';
import { Ledger } from './ledger.js';
import { REPORT_PATH } from './script.js';
import { countExecutions } from './verdict.js';

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));
const LEDGER_POLL_MS = 25;

/**
 * A real turn on this folder, with a model that follows a script. Its worker is killed while `write_file` runs, and
 * another one goes on. What it says of executions is counted from a ledger that the tools' own processes wrote.
 * Returns the exit code: 0 only if the report was written and each call ran once.
 */
export async function demo(root: string): Promise<number> {
  const terminal = terminalOf(process.stdout);
  const { style, write } = terminal;
  const server = await ensureServer({ onProgress: (line) => write(`${style.dim(line)}\n`) });
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-demo-'));
  const ledger = new Ledger(join(folder, 'ledger.jsonl'));
  rmSync(join(root, REPORT_PATH), { force: true });

  const taskQueue = `holdfast-demo-${randomUUID()}`;
  const client = await AgentClient.connect({ address: server.address, taskQueue });
  const supervisor = new Supervisor({
    program: WORKER,
    args: [server.address, taskQueue, root, ledger.path],
    client: client.client,
  });
  await supervisor.start();
  try {
    write(`${style.bold('A durable turn, with a scripted model and real tools.')}\n`);
    const turn = await client.start(
      'coder',
      `Write a report on the largest source files into ${REPORT_PATH}.`,
      {
        turnId: `demo-${randomUUID().slice(0, 8)}`,
        stream: true,
      },
    );
    const link = turnLink(server, turn.turnId);
    if (link) write(`Watch it in the Web UI: ${link}\n\n`);
    const { resumedAfterMs } = await killInTheMiddle(turn, ledger, supervisor, new TurnPrinter(terminal));
    await turn.result();
    const verdict = countExecutions(ledger.read());
    write(
      `\n${style.bold('What the ledger of real executions says')}\n${verdict.lines.map((line) => `  ${line}\n`).join('')}`,
    );
    write(`  resumed after ${duration(resumedAfterMs)}\n`);
    const written = existsSync(join(root, REPORT_PATH));
    write(`\nReport: ${written ? join(root, REPORT_PATH) : 'missing'}\n`);
    if (link) write(`Web UI: ${link}\n`);
    write(
      style.dim(
        'Temporal goes on in the background, so that the link works. Stop it with: npx holdfast server stop\n',
      ),
    );
    return written && verdict.eachRanOnce ? 0 : 1;
  } finally {
    await supervisor.drain();
    await client.close();
    rmSync(folder, { recursive: true });
  }
}

/** Prints the turn; kills the worker once the ledger shows that the file is written but the tool has not told so. */
async function killInTheMiddle(
  turn: TurnHandle,
  ledger: Ledger,
  supervisor: Supervisor,
  printer: TurnPrinter,
): Promise<{ resumedAfterMs: number }> {
  let killedAt: number | undefined;
  let resumedAfterMs: number | undefined;
  const killing = untilEffect(ledger, 'write_file').then(() => {
    const pid = supervisor.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    killedAt = Date.now();
    printer.note(`  ☠ worker killed: SIGKILL to pid ${pid}, in the middle of write_file`);
  });
  for await (const event of turn.events()) {
    printer.print(event);
    if (killedAt === undefined || resumedAfterMs !== undefined || !isProgress(event)) continue;
    resumedAfterMs = Date.parse(event.at) - killedAt;
    printer.note(`  ♻ resumed after ${duration(resumedAfterMs)}`);
  }
  await killing;
  return { resumedAfterMs: resumedAfterMs ?? Number.NaN };
}

function isProgress(event: TurnEvent): boolean {
  return event.type === 'tool_finished' || event.type === 'message';
}

async function untilEffect(ledger: Ledger, tool: string): Promise<void> {
  while (!ledger.read().some((line) => line.tool === tool && line.event === 'took_effect')) {
    await setTimeout(LEDGER_POLL_MS);
  }
}
