import { TurnFailed } from '../client/errors.js';
import type { FinishedTurn } from '../client/finished-turn.js';
import type { TurnHandle } from '../client/turn-handle.js';
import type { TemporalServer } from '../server/embedded.js';
import type { TurnUsage } from '../shared/usage.js';
import { WIRE_VERSION } from '../shared/version.js';
import { EXIT_FAILED, EXIT_INTERRUPTED, exitCodeOf } from './exit-codes.js';
import { limitLine } from './limit-line.js';
import { deskAt } from './people/ask-in-terminal.js';
import { terminalOf } from './terminal.js';
import { duration, TurnPrinter } from './turn-printer.js';
import { turnLink } from './web-ui.js';

/** One event a line, and last the outcome. Returns the exit code. */
export async function printJson(turn: TurnHandle): Promise<number> {
  for await (const event of turn.events()) process.stdout.write(`${JSON.stringify(event)}\n`);
  return await printJsonEnd(turn);
}

export async function printJsonEnd(turn: TurnHandle): Promise<number> {
  const end = await endOf(turn);
  process.stdout.write(`${JSON.stringify({ v: WIRE_VERSION, type: 'outcome', ...end.shown })}\n`);
  return end.exitCode;
}

/** The turn as it happens, for a person, and last what it cost. `startedAt` is of `performance.now()`. */
export async function printText(
  turn: TurnHandle,
  server: TemporalServer,
  startedAt: number,
): Promise<number> {
  const printer = new TurnPrinter(terminalOf(process.stdout));
  const desk = deskAt(turn, (text) => printer.note(text));
  try {
    for await (const event of turn.events()) {
      printer.print(event);
      desk.hear(event);
    }
  } finally {
    desk.close();
  }
  return await printEnd(printer, turn, server, performance.now() - startedAt);
}

/** How an ended turn ended, and what it cost. Returns the exit code. */
export async function printEnd(
  printer: TurnPrinter,
  turn: TurnHandle,
  server: TemporalServer,
  tookMs: number,
): Promise<number> {
  const exitCode = await printOutcome(printer, turn, tookMs);
  const link = turnLink(server, turn.turnId);
  if (link) printer.note(terminalOf(process.stdout).style.dim(`Web UI: ${link}`));
  return exitCode;
}

/** As {@link printEnd}, in one line where it ended well. */
export async function printOutcome(printer: TurnPrinter, turn: TurnHandle, tookMs: number): Promise<number> {
  const { style } = terminalOf(process.stdout);
  const end = await endOf(turn);
  if (end.kind === 'failed' && end.exitCode !== EXIT_INTERRUPTED) {
    printer.note(style.red(`${end.error.type}: ${end.error.message}`));
  }
  const { usage, iterations } = end.kind === 'finished' ? end.outcome : (end.error.outcome ?? {});
  const tokens = usage ? ` · ${usage.inputTokens} tokens in, ${usage.outputTokens} out` : '';
  const costs = usage ? costOf(usage) : '';
  const calls = iterations === undefined ? '' : ` · ${iterations} model call${iterations === 1 ? '' : 's'}`;
  printer.note(style.dim(`${end.label}${calls}${tokens}${costs} · ${duration(tookMs)}`));
  return end.exitCode;
}

/** Nothing where no price is known, as without a table of them. */
export function costOf({ costUsd, modelCalls }: TurnUsage): string {
  if (costUsd === undefined || modelCalls === 0) return '';
  return ` · $${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`;
}

function labelOf({ type, exceeded }: FinishedTurn): string {
  return exceeded ? `${type} (${limitLine(exceeded)})` : type;
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
      label: labelOf(outcome),
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
