import { nearestText } from './nearest-text.js';
import { listed } from './wording.js';

export type Edit = { oldText: string; newText: string; replaceAll: boolean };

const LISTED_LINES = 20;

/**
 * `text` with the edit made, and the lines (from 1) where `oldText` began. In a file whose lines all end in CRLF, the
 * "\n" of both texts mean CRLF too. Throws an error for the model when the edit isn't exactly one thing: no match,
 * more than one without `replaceAll`, or nothing to change.
 */
export function editedText(text: string, edit: Edit): { text: string; lines: number[] } {
  const crlf = endsInCrlf(text);
  const oldText = crlf ? withCrlf(edit.oldText) : edit.oldText;
  const newText = crlf ? withCrlf(edit.newText) : edit.newText;
  if (oldText === newText)
    throw new Error('old_text and new_text are identical: there is nothing to change.');
  // Overlapping matches count: with "aa" in "aaa" it isn't clear which is meant.
  const matches = matchesOf(text, oldText, edit.replaceAll ? oldText.length : 1);
  const lines = linesOf(text, matches);
  if (matches.length === 0) throw new Error(`old_text has 0 matches. ${nearestText(text, oldText, newText)}`);
  if (matches.length > 1 && !edit.replaceAll) {
    throw new Error(
      `old_text has ${matches.length} matches, at lines ${listed(lines, LISTED_LINES)}. Give more of the text around the one you mean, or set replace_all.`,
    );
  }
  return { text: replaced(text, matches, oldText.length, newText), lines };
}

/** "1 match at line 3", "2 matches at lines 3, 9". */
export function matchesAt(lines: readonly number[]): string {
  return lines.length === 1
    ? `1 match at line ${lines[0]}`
    : `${lines.length} matches at lines ${listed(lines, LISTED_LINES)}`;
}

function endsInCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text);
}

function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

function matchesOf(text: string, wanted: string, step: number): number[] {
  const matches: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + step)) matches.push(at);
  return matches;
}

function linesOf(text: string, positions: readonly number[]): number[] {
  let line = 1;
  let lineStart = 0;
  return positions.map((position) => {
    for (
      let at = text.indexOf('\n', lineStart);
      at !== -1 && at < position;
      at = text.indexOf('\n', at + 1)
    ) {
      line++;
      lineStart = at + 1;
    }
    return line;
  });
}

function replaced(text: string, matches: readonly number[], length: number, newText: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const at of matches) {
    parts.push(text.slice(from, at), newText);
    from = at + length;
  }
  return parts.join('') + text.slice(from);
}
