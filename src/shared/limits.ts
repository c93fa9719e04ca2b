import { type Duration, durationMs } from './duration.js';
import { MAX_DEPTH } from './parent-turn.js';
import { type Check, is, isOneOf, isShape, isWholeNumber } from './shape.js';
import { roundUsd, type TurnUsage } from './usage.js';

export type Limits = {
  /** The most model calls of the turn. The tools that the last reply asks for are run, too. */
  iterations?: number;
  /** How deep sub-agents may be nested below the turn; 0: it may call none. Default 4. */
  depth?: number;
  /** The most tokens, read and written, of the turn and its sub-agents together. */
  tokens?: number;
  /** What the turn and its sub-agents may cost, in US dollars. The model needs a price. */
  cost?: { usd: number };
  /** How long the turn may work. While it waits for people, or sleeps, the time stands still. */
  time?: Duration;
};

/** What a turn may use up, of those that it is bounded by. */
export type Budget = { tokens?: number; costUsd?: number; timeMs?: number };

/** Which budget was used up: tokens, US dollars, milliseconds, or turns. `of`: it is the session's, or the turn's share of that. */
export type ExceededBudget = {
  limit: 'tokens' | 'cost' | 'time' | 'turns';
  allowed: number;
  spent: number;
  of?: 'session';
};

/** What a turn may use of a session's limits. `exceeded`: nothing is left, and it ends as it begins. */
export type BudgetShare = { tokens?: number; cost?: { usd: number }; exceeded?: ExceededBudget };

export const isAmount = is('a number from 0', (value) => Number.isFinite(value) && Number(value) >= 0);
const isDuration: Check = is("a duration such as '10 minutes', or milliseconds", (value) => {
  try {
    return durationMs('', value as Duration) > 0;
  } catch {
    return false;
  }
});

/** The limits that a turn is started with. */
export const isLimits = isShape(
  {},
  {
    iterations: isWholeNumber(1, 100_000),
    depth: isWholeNumber(0, MAX_DEPTH),
    tokens: isWholeNumber(0, Number.MAX_SAFE_INTEGER),
    cost: isShape({ usd: isAmount }),
    time: isDuration,
  },
);

export const isBudgetShare = isShape(
  {},
  {
    tokens: isWholeNumber(0, Number.MAX_SAFE_INTEGER),
    cost: isShape({ usd: isAmount }),
    exceeded: isShape(
      { limit: isOneOf('tokens', 'cost', 'turns'), allowed: isAmount, spent: isAmount },
      { of: isOneOf('session') },
    ),
  },
);

/** Throws a RangeError for a time that is none. */
export function budgetOf({ tokens, cost, time }: Limits): Budget {
  return {
    ...(tokens !== undefined && { tokens }),
    ...(cost && { costUsd: cost.usd }),
    ...(time !== undefined && { timeMs: durationMs('limits.time', time) }),
  };
}

/** Each the smaller one of the two. */
export function smallerBudget(one: Budget, other: Budget): Budget {
  const least = (name: keyof Budget) => Math.min(one[name] ?? Infinity, other[name] ?? Infinity);
  const [tokens, costUsd, timeMs] = [least('tokens'), least('costUsd'), least('timeMs')];
  return {
    ...(tokens < Infinity && { tokens }),
    ...(costUsd < Infinity && { costUsd }),
    ...(timeMs < Infinity && { timeMs }),
  };
}

/** Calls and tries that did not tell what they used count as much as those on average that did. */
export function spentOf(usage: TurnUsage): { tokens: number; usd: number } {
  const tokens = usage.inputTokens + usage.outputTokens;
  const usd = usage.costUsd ?? usage.knownCostUsd ?? 0;
  const unpriced = usage.costUsd === undefined ? (usage.unpricedCalls ?? 0) : 0;
  return {
    tokens: tokens + Math.round((tokens / toldBut(usage, usage.unknownCalls)) * usage.unknownCalls),
    usd: roundUsd(usd + (usd / toldBut(usage, unpriced)) * unpriced),
  };
}

/** Calls that told what they used. Those that did not are tries that failed, as far as there were any. */
function toldBut({ modelCalls, failedCalls = 0 }: TurnUsage, unknown: number): number {
  return Math.max(1, modelCalls - Math.max(0, unknown - failedCalls));
}

/** The first budget that is used up, or undefined. */
export function exceededBudget(
  budget: Budget,
  usage: TurnUsage,
  workedMs: number,
): ExceededBudget | undefined {
  const { tokens, usd } = spentOf(usage);
  const found: [ExceededBudget['limit'], number | undefined, number][] = [
    ['tokens', budget.tokens, tokens],
    ['cost', budget.costUsd, usd],
    ['time', budget.timeMs, workedMs],
  ];
  for (const [limit, allowed, spent] of found)
    if (allowed !== undefined && spent >= allowed) return { limit, allowed, spent };
  return undefined;
}

/**
 * What one of `sharers` sub-agents that are still to start may use: an equal share of what is left beside what others have
 * reserved. The time is everybody's: it passes for all of them at once.
 */
export function shareOf(
  budget: Budget,
  usage: TurnUsage,
  workedMs: number,
  reserved: readonly Budget[],
  sharers: number,
): Budget {
  const spent = spentOf(usage);
  const held = (name: 'tokens' | 'costUsd') => reserved.reduce((sum, each) => sum + (each[name] ?? 0), 0);
  const { tokens, costUsd, timeMs } = budget;
  const share = (left: number) => Math.max(0, left) / Math.max(1, sharers);
  return {
    ...(tokens !== undefined && { tokens: Math.floor(share(tokens - spent.tokens - held('tokens'))) }),
    ...(costUsd !== undefined && { costUsd: roundUsd(share(costUsd - spent.usd - held('costUsd'))) }),
    ...(timeMs !== undefined && { timeMs: Math.max(1, timeMs - workedMs) }),
  };
}

/** Says so where it is the share that bounds the turn. */
export function ofShare(exceeded: ExceededBudget, { tokens, cost }: BudgetShare): ExceededBudget {
  const share = exceeded.limit === 'tokens' ? tokens : exceeded.limit === 'cost' ? cost?.usd : undefined;
  return share === exceeded.allowed ? { ...exceeded, of: 'session' } : exceeded;
}

/** As the input of a turn says it. */
export function limitsOf({ tokens, costUsd, timeMs }: Budget): Limits {
  return {
    ...(tokens !== undefined && { tokens }),
    ...(costUsd !== undefined && { cost: { usd: costUsd } }),
    ...(timeMs !== undefined && { time: timeMs }),
  };
}
