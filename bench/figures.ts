/** The middle one; of an even count the mean of the middle two. Throws for none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) throw new RangeError('No values have no median.');
  return (lower + upper) / 2;
}

/** The value below which `percent` of them lie: the nearest one, none is made up. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function rounded(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}

/** Columns of text, numbers to the right. The first row is the heading. */
export function table(rows: readonly (readonly (string | number)[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => String(row[at] ?? '').length))) ?? [];
  const line = (row: readonly (string | number)[]) =>
    row
      .map((cell, at) =>
        at === 0 ? String(cell).padEnd(widths[at] ?? 0) : String(cell).padStart(widths[at] ?? 0),
      )
      .join('  ');
  const [heading = [], ...body] = rows;
  return [line(heading), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)].join('\n');
}
