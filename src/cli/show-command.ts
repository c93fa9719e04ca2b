import { withPlace } from './open-client.js';
import { terminalOf } from './terminal.js';
import { findTurn } from './turns/find-turn.js';
import { lookAt } from './turns/turn-look.js';
import { turnPage } from './turns/turn-page.js';

/** `holdfast show`: one turn on a page, or as a line of JSON. */
export async function showCommand(name: string, options: { json?: boolean }): Promise<void> {
  const turn = await withPlace(async (place) => await lookAt(place, await findTurn(place, name)));
  const terminal = terminalOf(process.stdout);
  terminal.write(options.json ? `${JSON.stringify({ v: 1, ...turn })}\n` : turnPage(terminal, turn));
}
