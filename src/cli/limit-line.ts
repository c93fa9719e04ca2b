import type { ExceededBudget } from '../shared/limits.js';
import { duration } from './turn-printer.js';

/** `1234 tokens of 1000`, `$1.0300 of $1.0000`, `10 min 2 s of 10 min 0 s`. */
export function limitLine({ limit, spent, allowed }: ExceededBudget): string {
  switch (limit) {
    case 'tokens':
      return `${spent} tokens of ${allowed}`;
    case 'cost':
      return `$${spent.toFixed(4)} of $${allowed.toFixed(4)}`;
    case 'turns':
      return `${spent} turns of ${allowed}`;
    case 'time':
      return `${duration(spent)} of ${duration(allowed)}`;
    default:
      return limit satisfies never;
  }
}
