import { type BudgetShare, type ExceededBudget, isAmount, spentOf } from './limits.js';
import { type Check, isShape, isWholeNumber } from './shape.js';
import { roundUsd, type TurnUsage } from './usage.js';

/** What all turns of a session together may use up. */
export type SessionLimits = {
  /** Read and written. */
  tokens?: number;
  /** In US dollars. The models need a price. */
  cost?: { usd: number };
  turns?: number;
};

/** A limit of `null` is none from then on; one that is not named stays as it is. */
export type SessionLimitsChange = { [Name in keyof SessionLimits]?: SessionLimits[Name] | null };

const isTokens = isWholeNumber(0, Number.MAX_SAFE_INTEGER);
const isCost = isShape({ usd: isAmount });
const isTurns = isWholeNumber(0, Number.MAX_SAFE_INTEGER);
const orNull =
  (check: Check): Check =>
  (value, path) =>
    value === null ? [] : check(value, path);

export const isSessionLimits = isShape({}, { tokens: isTokens, cost: isCost, turns: isTurns });
export const isSessionLimitsChange = isShape(
  {},
  { tokens: orNull(isTokens), cost: orNull(isCost), turns: orNull(isTurns) },
);

export function changedLimits(limits: SessionLimits, change: SessionLimitsChange): SessionLimits {
  const all = Object.entries({ ...limits, ...change });
  return Object.fromEntries(all.filter(([, limit]) => limit !== null && limit !== undefined));
}

/** The first limit that leaves nothing for one more turn, or undefined. `turns`: how many there have been, or wait. */
export function exceededLimit(
  { tokens, cost, turns: most }: SessionLimits,
  usage: TurnUsage,
  turns: number,
): ExceededBudget | undefined {
  const spent = spentOf(usage);
  const of = 'session' as const;
  if (tokens !== undefined && spent.tokens >= tokens)
    return { limit: 'tokens', allowed: tokens, spent: spent.tokens, of };
  if (cost && spent.usd >= cost.usd) return { limit: 'cost', allowed: cost.usd, spent: spent.usd, of };
  if (most !== undefined && turns >= most) return { limit: 'turns', allowed: most, spent: turns, of };
  return undefined;
}

/** What the next turn may use; undefined where the session has no limits. */
export function shareOfSession(
  limits: SessionLimits,
  usage: TurnUsage,
  turns: number,
): BudgetShare | undefined {
  if (Object.keys(limits).length === 0) return undefined;
  const { tokens, cost } = limits;
  const spent = spentOf(usage);
  const exceeded = exceededLimit(limits, usage, turns);
  return {
    ...(tokens !== undefined && { tokens: Math.max(0, tokens - spent.tokens) }),
    ...(cost && { cost: { usd: Math.max(0, roundUsd(cost.usd - spent.usd)) } }),
    ...(exceeded && { exceeded }),
  };
}

/** Why a message is refused, and what to do. */
export function limitText({ limit, allowed, spent }: ExceededBudget): string {
  switch (limit) {
    case 'tokens':
      return `The session may use ${allowed} tokens, and has used ${spent}. Raise that: setLimits({ tokens: ... }), or null for no limit.`;
    case 'cost':
      return `The session may cost $${allowed}, and has cost $${spent}. Raise that: setLimits({ cost: { usd: ... } }), or null for no limit.`;
    default:
      return `The session may have ${allowed} turns, and has had ${spent}, with those that run and wait. Raise that: setLimits({ turns: ... }), or null for no limit.`;
  }
}
