import { wrapped } from '../table.js';
import type { Terminal } from '../terminal.js';
import type { Checked, Status } from './check.js';

const WIDTH = 18;
const marks: Record<Status, string> = { ok: '✓', failed: '✗', none: '–' };

/** As people read it: a mark, what was checked, what was found; what to do stands under it. */
export function line(
  { style, width = Number.POSITIVE_INFINITY }: Terminal,
  { check, status, says, advice }: Checked,
): string {
  const paint = { ok: style.green, failed: style.red, none: style.dim }[status];
  const indent = ' '.repeat(WIDTH + 3);
  const found = wrapped(says, width - indent.length).join(`\n${indent}`);
  const whole = `${paint(marks[status])} ${check.padEnd(WIDTH)} ${found}\n`;
  if (advice === undefined) return whole;
  const todo = wrapped(advice, width - indent.length - 2).join(`\n${indent}  `);
  return `${whole}${indent}${style.dim('→')} ${todo}\n`;
}

/** In place of a line for each check that was not tried; `''` where all were. */
export function notTriedLine({ style }: Terminal, count: number): string {
  return count === 0
    ? ''
    : `${style.dim(marks.none)} ${'the rest'.padEnd(WIDTH)} ${count} checks were not tried.\n`;
}
