import { withPlace } from '../open-client.js';
import { oneLine, table } from '../table.js';
import { type Terminal, terminalOf } from '../terminal.js';
import { shortIds } from '../turns/short-id.js';
import { age } from '../turns/turn-table.js';
import { type ListedSession, listSessions } from './list-sessions.js';

const HEAD = ['SESSION', 'STATUS', 'TURNS', 'COST', 'LAST USED', 'TITLE'];

export type SessionsOptions = { all?: boolean; limit: number; json?: boolean };

/** `holdfast sessions`: the conversations that go on, the latest used first. With `--json` a line for each. */
export async function sessionsCommand(options: SessionsOptions): Promise<void> {
  const { sessions, more } = await withPlace((place) => listSessions(place, options));
  const terminal = terminalOf(process.stdout);
  const notes = terminalOf(process.stderr);
  const note = (text: string) => notes.write(`${notes.style.dim(text)}\n`);
  if (options.json) {
    for (const session of sessions) terminal.write(`${JSON.stringify({ v: 1, ...session })}\n`);
    return;
  }
  if (sessions.length > 0) terminal.write(sessionTable(terminal, sessions));
  else note('There is no session yet. Begin one: holdfast chat');
  if (more) note(`There are more than ${options.limit}: --limit shows them.`);
}

function sessionTable(
  { style, width }: Terminal,
  sessions: readonly ListedSession[],
  now = Date.now(),
): string {
  const ids = width === undefined ? new Map() : shortIds(sessions.map(({ sessionId }) => sessionId));
  const rows = sessions.map(({ sessionId, status, turns, usage, lastUsedAt, title }) => [
    ids.get(sessionId) ?? sessionId,
    status,
    String(turns),
    costCell(usage),
    `${age(now - Date.parse(lastUsedAt))} ago`,
    oneLine(title ?? ''),
  ]);
  return table([HEAD, ...rows], width ?? Number.POSITIVE_INFINITY, (cell, row, column) => {
    if (row === 0) return style.dim(cell);
    return column === 1 && cell.trim() === 'running' ? style.bold(cell) : cell;
  });
}

/** In dollars where the prices are known, else in tokens. */
function costCell({ costUsd, modelCalls, inputTokens, outputTokens }: ListedSession['usage']): string {
  if (costUsd !== undefined && modelCalls > 0) return `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`;
  const tokens = inputTokens + outputTokens;
  return tokens === 0 ? '–' : `${tokens} tokens`;
}
