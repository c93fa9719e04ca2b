// Both sides import this: it loads nothing, so that nobody's start pays for it.

/** The tool of all benches: a page of text, 4 KB, the size of a command's usual output. */
export const TOOL_NAME = 'read_page';
export const TOOL_DESCRIPTION = 'Reads one page of the book.';
export const RESULT_BYTES = 4096;
export const INSTRUCTIONS = 'You read books.';

/** A turn of that many tool rounds, and a last model call that ends it. 0: the model answers at once. */
export function promptOf(rounds: number): string {
  return `Read ${rounds} pages, one by one.`;
}

export function page(number: number): string {
  return `Page ${number}. `.padEnd(
    RESULT_BYTES,
    'Call me Ishmael. Some years ago, never mind how long precisely. ',
  );
}
