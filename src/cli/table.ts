import { safeText } from './terminal.js';

/** Between two columns. */
const GAP = 2;
/** A column keeps so much, however long the others are. */
const LEAST = 12;

const graphemes = new Intl.Segmenter();
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}])/u;

/**
 * Rows of cells as lines of one text, each column as wide as its longest cell; `paint` colours a padded cell. What
 * doesn't fit into `width` is cut: the last column first, then from the first on.
 */
export function table(
  rows: readonly (readonly string[])[],
  width: number,
  paint: (cell: string, row: number, column: number) => string = (cell) => cell,
): string {
  const cells = rows.map((row) => row.map(oneLine));
  const count = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...cells.map((row) => widthOf(row[column] ?? ''))),
  );
  const used = () => widths.reduce((sum, each) => sum + each, GAP * (count - 1));
  const shrink = (column: number, least: number) => {
    const over = used() - width;
    if (over > 0)
      widths[column] = Math.max(Math.min(widths[column] ?? 0, least), (widths[column] ?? 0) - over);
  };
  for (const column of [count - 1, ...widths.keys()]) shrink(column, LEAST);
  return cells
    .map((row, index) =>
      row
        .map((cell, column) =>
          paint(padded(cut(cell, widths[column] ?? 0), widths[column] ?? 0), index, column),
        )
        .join(' '.repeat(GAP))
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** The columns that a text takes on a screen. */
export function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** So many columns of it, an ellipsis at the end where it was longer. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of graphemes.segment(text)) {
    used += widthOf(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Models and people have written parts of it. */
export function oneLine(text: string): string {
  return safeText(text).replace(/\s+/g, ' ').trim();
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** The words of one line in lines that fit into `width`; a longer word stands alone. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of oneLine(text).split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current !== '' && widthOf(longer) > width) {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current];
}
