import { oneLine, table } from '../table.js';
import type { Terminal } from '../terminal.js';
import { duration } from '../turn-printer.js';
import type { ListedTurn } from './list-turns.js';
import { shortIds } from './short-id.js';
import { awaitedText } from './waiting.js';

const HEAD = ['TURN', 'AGENT', 'STATUS', 'CALLS', 'AGE', 'WHAT'];
const STATUS = 2;

/** Turns as a table. On a terminal ids are as short as they can be; in a pipe everything is whole. */
export function turnTable(terminal: Terminal, turns: readonly ListedTurn[], now = Date.now()): string {
  const { style, width } = terminal;
  const ids = width === undefined ? new Map() : shortIds(turns.map(({ turnId }) => turnId));
  const rows = turns.map((turn) => [
    ids.get(turn.turnId) ?? turn.turnId,
    turn.agent || '?',
    turn.status,
    turn.iterations === undefined ? '–' : String(turn.iterations),
    age(now - Date.parse(turn.endedAt ?? turn.startedAt)),
    what(turn, now),
  ]);
  return table([HEAD, ...rows], width ?? Number.POSITIVE_INFINITY, (cell, row, column) => {
    if (row === 0) return style.dim(cell);
    return column === STATUS ? paintStatus(terminal, cell) : cell;
  });
}

export function paintStatus({ style }: Terminal, text: string): string {
  const status = text.trim();
  if (status === 'running') return style.bold(text);
  if (status === 'completed') return style.green(text);
  return ['failed', 'terminated', 'timed_out'].includes(status) ? style.red(text) : style.yellow(text);
}

/** `45 s`, `12 min`, `3 h`, `5 d`: as it is told in a table. */
export function age(ms: number): string {
  if (ms < 60_000) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min`;
  return ms < 86_400_000 ? `${Math.floor(ms / 3_600_000)} h` : `${Math.floor(ms / 86_400_000)} d`;
}

/** What it waits for, why it failed, else what it was asked. */
function what({ waitsFor, failure, prompt, status, startedAt }: ListedTurn, now: number): string {
  if (status === 'running' && waitsFor) {
    const [first, ...others] = waitsFor;
    if (first === undefined) return `waits for its next step, for ${duration(now - Date.parse(startedAt))}`;
    return `waits for ${awaitedText(first, now)}${others.length > 0 ? ` and ${others.length} more` : ''}`;
  }
  if (failure) return `${failure.type}: ${oneLine(failure.message)}`;
  return prompt.slice(0, 400);
}
