import { IDEMPOTENT } from '../plan.js';
import type { Records } from './evidence.js';

/** The calls of tools that are not idempotent whose body began more than once, one line each. */
export function repeatedCalls({ ledger }: Records): string[] {
  const idempotent: readonly string[] = IDEMPOTENT;
  const began = ledger.filter((line) => line.event === 'began' && !idempotent.includes(line.tool));
  const pids = new Map<string, number[]>();
  for (const { tool, key, pid } of began) {
    const name = `${tool} ${key}`;
    pids.set(name, [...(pids.get(name) ?? []), pid]);
  }
  return [...pids]
    .filter(([, runs]) => runs.length > 1)
    .map(([name, runs]) => `${name} ran ${runs.length} times, in the processes ${runs.join(', ')}`);
}
