import type { Duration } from '../shared/duration.js';
import type { Limits } from '../shared/limits.js';

/** The options by which a command bounds its turns. */
export type LimitOptions = { iterations?: number; tokens?: number; cost?: number; time?: Duration };

export function limitsOf({ iterations, tokens, cost, time }: LimitOptions): Limits {
  return {
    ...(iterations !== undefined && { iterations }),
    ...(tokens !== undefined && { tokens }),
    ...(cost !== undefined && { cost: { usd: cost } }),
    ...(time !== undefined && { time }),
  };
}
