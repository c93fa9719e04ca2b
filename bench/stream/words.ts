/** Of a word, its space included: about what a token has. */
export const WORD_LENGTH = 5;

/** All have one length, so that a place in the text tells its word. */
export function wordAt(number: number): string {
  return `${String(number).padStart(WORD_LENGTH - 1, '0')} `;
}
