import type { Records, TurnEvidence } from './evidence.js';
import { resultsOf } from './evidence.js';
import { type Recovery, workflowTaskTimeouts } from './recovery.js';

const SLOWEST_SHOWN = 5;

/** What was done to the turns, and what came of it, in a few lines for people. */
export function summary(
  records: Records,
  turns: readonly TurnEvidence[],
  recovered: readonly Recovery[],
): string {
  const { deeds } = records;
  const count = (kind: string) => deeds.filter(({ deed }) => deed === kind).length;
  const restarts = deeds.flatMap((deed) => (deed.deed === 'server_restarted' ? [`${deed.downMs} ms`] : []));
  const answers = tally(deeds.flatMap((deed) => (deed.deed === 'steered' ? [deed.answer] : [])));
  const results = turns.flatMap((turn) => resultsOf(turn.messages.slice(turn.deltaFrom)));
  const slowest = recovered.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST_SHOWN);
  return [
    `${count('killed')} SIGKILLs of workers, ${count('orphaned')} of a supervisor alone, ${count('drained')} SIGTERMs, ${restarts.length} restarts of the server (down for ${restarts.join(', ')})`,
    `${count('ended')} interrupts, stops and cancels; steers sent: ${answers}`,
    `${turns.reduce((sum, { runs }) => sum + runs - 1, 0)} continuations as new`,
    `outcomes: ${tally(turns.map((turn) => turn.outcome?.type ?? turn.closed ?? 'open'))}`,
    `tool results: ${tally(results.map(({ status, cause }) => cause ?? status))}`,
    `workflow tasks that timed out: ${tally(turns.flatMap((turn) => workflowTaskTimeouts(turn)))}`,
    `${recovered.length} recoveries, the slowest:`,
    ...slowest.map(({ turnId, pid, ms, why }) => `  ${Math.round(ms)} ms, ${turnId} after ${pid}: ${why}`),
  ].join('\n');
}

function tally(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, times]) => `${times} ${name}`).join(', ');
}
