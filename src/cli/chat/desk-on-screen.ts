import type { TurnHandle } from '../../client/turn-handle.js';
import { type Desk, deskWith } from '../people/ask-in-terminal.js';
import type { Screen } from './screen.js';

/** Where a person decides on a turn's calls: in the line that is typed. Without a terminal it says how to decide. */
export function deskOnScreen(turn: TurnHandle, screen: Screen, note: (text: string) => void): Desk {
  if (!screen.isTerminal) return deskWith(turn, note, undefined);
  return deskWith(turn, note, {
    always: 'this session',
    open: () => ({
      question: (text: string, options: { signal: AbortSignal }) => screen.question(text, options),
      write: (text: string) => screen.edit(text),
      keep: (text: string) => screen.append(text),
      close: () => undefined,
    }),
  });
}
