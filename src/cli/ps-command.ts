import { withPlace } from './open-client.js';
import { terminalOf } from './terminal.js';
import { listTurns, RECENT_HOURS } from './turns/list-turns.js';
import { turnTable } from './turns/turn-table.js';

export type PsOptions = { all?: boolean; agent?: string; limit: number; json?: boolean };

/** `holdfast ps`: what runs, and what has ended lately. With `--json` a line for each turn. */
export async function psCommand(options: PsOptions): Promise<void> {
  const { turns, more } = await withPlace(({ client }) => listTurns(client.client, options));
  const terminal = terminalOf(process.stdout);
  if (options.json) {
    for (const turn of turns) terminal.write(`${JSON.stringify({ v: 1, ...turn })}\n`);
    return;
  }
  const notes = terminalOf(process.stderr);
  const note = (text: string) => notes.write(`${notes.style.dim(text)}\n`);
  if (turns.length > 0) terminal.write(turnTable(terminal, turns));
  else note(nothing(options));
  if (more) note(`There are more, of which --limit ${options.limit * 5} shows some.`);
}

function nothing({ all, agent }: PsOptions): string {
  const turns = agent === undefined ? 'No turn' : `No turn of the agent "${agent}"`;
  return all
    ? `${turns} is known to this server.`
    : `${turns} runs, and none has ended in the last ${RECENT_HOURS} hours. All that are kept: holdfast ps --all`;
}
