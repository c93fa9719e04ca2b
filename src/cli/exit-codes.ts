import type { OutcomeType } from '../shared/turn.js';

/** What a shell script can tell from a command's exit code. `holdfast run --help` lists them. */
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_INTERRUPTED = 130;

const codes: Record<OutcomeType, number> = {
  completed: 0,
  max_iterations: 3,
  refused: 4,
  truncated: 5,
  invalid_output: 6,
  budget_exceeded: 7,
  loop_detected: 8,
  interrupted: EXIT_INTERRUPTED,
};

/** Of turns that a limit has ended, not their model: another one may go on where they stopped. */
export const EXITS_AT_LIMIT: readonly number[] = [
  codes.max_iterations,
  codes.budget_exceeded,
  codes.loop_detected,
];

export function exitCodeOf(outcome: OutcomeType): number {
  // A newer worker may know more of them.
  return codes[outcome] ?? EXIT_FAILED;
}
