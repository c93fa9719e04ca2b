import { isJsonObject, type Json, parseJson } from './json.js';
import type { ToolCallBlock } from './messages.js';
import { wireLine } from './wire-text.js';

const SUMMARY_BYTES = 120;

/** One line that tells a call from its siblings: `read_file src/worker.ts`. */
export function callSummary(name: string, input: Json | undefined): string {
  return wireLine(`${name} ${firstWords(input)}`, SUMMARY_BYTES);
}

export function summaryOfBlock(call: Pick<ToolCallBlock, 'name' | 'arguments'>): string {
  const parsed = parseJson(call.arguments);
  return callSummary(call.name, parsed.ok ? parsed.value : undefined);
}

/** The first argument that is a text or a number: by custom the one that a call is about. */
function firstWords(input: Json | undefined): string {
  if (!isJsonObject(input)) return '';
  const value = Object.values(input).find((each) => typeof each === 'string' || typeof each === 'number');
  return value === undefined ? '' : String(value).slice(0, 4 * SUMMARY_BYTES);
}
