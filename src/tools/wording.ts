/** "1 line", "2 lines". */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The first `most` of `items`, separated by commas, and how many more there are. */
export function listed(items: readonly (string | number)[], most: number): string {
  const rest = items.length - most;
  return items.slice(0, most).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** At most `length` UTF-16 units of well-formed text, cut between characters. */
export function startOf(text: string, length: number): string {
  return /[\ud800-\udbff]$/.test(text.slice(0, length)) ? text.slice(0, length - 1) : text.slice(0, length);
}

/** As {@link startOf}, the end of it. */
export function endOf(text: string, length: number): string {
  const end = text.slice(Math.max(0, text.length - length));
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}
