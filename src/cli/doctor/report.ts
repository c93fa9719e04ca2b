import { safeText, type Terminal } from '../terminal.js';
import type { Checked, Status } from './check.js';

const WIDTH = 18;
const marks: Record<Status, string> = { ok: '✓', failed: '✗', none: '–' };

/** As people read it: a mark, what was checked, what was found; what to do stands under it. */
export function line({ style }: Terminal, { check, status, says, advice }: Checked): string {
  const paint = { ok: style.green, failed: style.red, none: style.dim }[status];
  const found = `${paint(marks[status])} ${check.padEnd(WIDTH)} ${oneLine(says)}\n`;
  return advice === undefined
    ? found
    : `${found}${' '.repeat(WIDTH + 3)}${style.dim('→')} ${oneLine(advice)}\n`;
}

/** In place of a line for each check that was not tried; `''` where all were. */
export function notTriedLine({ style }: Terminal, count: number): string {
  return count === 0
    ? ''
    : `${style.dim(marks.none)} ${'the rest'.padEnd(WIDTH)} ${count} checks were not tried.\n`;
}

/** Providers and models have written parts of it. */
function oneLine(text: string): string {
  return safeText(text).replace(/\s+/g, ' ').trim();
}
