import { quoted } from '../quoted.js';

/** What can still be done with a session that takes no messages any more. */
export function afterItsEnd(sessionId: string): string {
  const id = quoted(sessionId);
  return `Read it: holdfast session transcript ${id}\nGo on in a new one, with its messages: holdfast chat "$(holdfast session fork ${id})"`;
}
