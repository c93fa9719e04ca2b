import { likeness } from '../shared/similar-names.js';
import { startOf } from './wording.js';

const LEAST_LIKENESS = 0.6;
const MOST_COMPARED = 20_000;
const SHOWN_CHARACTERS = 2_000;
const COMPARED_CHARACTERS = 300;

/** A hint, for the model, why `oldText` isn't in `text` and what is there instead. Never empty. */
export function nearestText(text: string, oldText: string, newText: string): string {
  const lines = text.split('\n');
  const wanted = oldText.replace(/^\s*\n|\n\s*$/g, '').split('\n');
  const at = lineWithOtherWhitespace(lines, wanted);
  if (at !== undefined) {
    const found = lines.slice(at, at + wanted.length).join('\n');
    return `The same text with other whitespace is at line ${at + 1}:\n${startOf(found, SHOWN_CHARACTERS)}`;
  }
  if (wanted.every((line) => /^\s*\d+\t/.test(line))) {
    return 'It holds the line numbers that read_file shows: leave them out.';
  }
  const already = newText.trim() === '' ? -1 : text.indexOf(newText);
  if (already !== -1) {
    const line = text.slice(0, already).split('\n').length;
    return `new_text is already there, at line ${line}: perhaps the edit was made before.`;
  }
  return nearestLine(lines, wanted) ?? 'Nothing in the file is like it: read the file again.';
}

function lineWithOtherWhitespace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const bare = wanted.map(withoutWhitespace);
  if (bare.every((line) => line === '')) return undefined;
  const all = lines.map(withoutWhitespace);
  const at = all.findIndex((_, start) => bare.every((line, index) => all[start + index] === line));
  return at === -1 ? undefined : at;
}

function withoutWhitespace(line: string): string {
  return line.replace(/\s+/g, '');
}

function nearestLine(lines: readonly string[], wanted: readonly string[]): string | undefined {
  const first = startOf(wanted.find((line) => line.trim() !== '')?.trim() ?? '', COMPARED_CHARACTERS);
  let best = { number: 0, line: '', score: LEAST_LIKENESS };
  for (const [index, line] of lines.slice(0, MOST_COMPARED).entries()) {
    const score = likeness(first, startOf(line.trim(), COMPARED_CHARACTERS));
    if (score > best.score) best = { number: index + 1, line, score };
  }
  if (best.number === 0) return undefined;
  return `The line most like its first one is line ${best.number}:\n${startOf(best.line, SHOWN_CHARACTERS)}`;
}
