import { setTimeout } from 'node:timers/promises';
import { duration, type TurnPrinter } from '../cli/turn-printer.js';
import type { TurnHandle } from '../client/turn-handle.js';
import type { TurnEvent } from '../shared/events.js';
import type { Supervisor } from '../worker/supervisor.js';
import type { Ledger } from './ledger.js';

const LEDGER_POLL_MS = 25;

/** Milliseconds from the kill to the turn's next step; undefined where no worker was killed, or nothing came after. */
export type KillReport = { killed: boolean; resumedAfterMs: number | undefined };

/**
 * Prints the turn to its end; kills the worker once the ledger shows that the file is written but the tool has not
 * told so. A turn that writes no file ends without a kill.
 */
export async function killInTheMiddle(
  turn: TurnHandle,
  ledger: Ledger,
  supervisor: Supervisor,
  printer: TurnPrinter,
): Promise<KillReport> {
  let killedAt: number | undefined;
  let resumedAfterMs: number | undefined;
  const ended = new AbortController();
  const killing = tookEffect(ledger, 'write_file', ended.signal).then((written) => {
    const { pid } = supervisor;
    if (!written || pid === undefined) return;
    process.kill(pid, 'SIGKILL');
    killedAt = Date.now();
    printer.note(`  ☠ worker killed: SIGKILL to pid ${pid}, in the middle of write_file`);
  });
  try {
    for await (const event of turn.events()) {
      printer.print(event);
      if (killedAt === undefined || resumedAfterMs !== undefined || !isProgress(event)) continue;
      resumedAfterMs = Date.parse(event.at) - killedAt;
      printer.note(`  ♻ resumed after ${duration(resumedAfterMs)}`);
    }
  } finally {
    ended.abort();
    await killing;
  }
  return { killed: killedAt !== undefined, resumedAfterMs };
}

function isProgress(event: TurnEvent): boolean {
  return event.type === 'tool_finished' || event.type === 'message';
}

/** False where the turn ended before the ledger showed it. */
async function tookEffect(ledger: Ledger, tool: string, ended: AbortSignal): Promise<boolean> {
  while (!ended.aborted) {
    if (ledger.read().some((line) => line.tool === tool && line.event === 'took_effect')) return true;
    await setTimeout(LEDGER_POLL_MS);
  }
  return false;
}
