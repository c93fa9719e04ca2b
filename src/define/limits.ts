import { durationMs } from '../shared/duration.js';
import type { Budget, Limits } from '../shared/limits.js';
import type { LoopGuard } from '../shared/loop-guard.js';
import { MAX_DEPTH } from '../shared/parent-turn.js';
import { namesOf, requireKnown } from './known-options.js';

export type AgentLimits = Readonly<{ iterations: number; depth?: number } & Budget>;

const LIMITS = namesOf<Limits>({ iterations: true, tokens: true, cost: true, time: true, depth: true });
const LOOP_GUARD = namesOf<LoopGuard>({ tellAfter: true, stopAfter: true });
const PLANNING = ['every'];
const DEFAULT_ITERATIONS = 199;
const DEFAULT_GUARD: LoopGuard = { tellAfter: 3, stopAfter: 8 };
/** The calls of so many rounds are compared before each model call. */
const MOST_REPEATED = 1000;

/** Throws a TypeError or RangeError that names the agent and the limit that is none, or can't be one. */
export function limitsOfAgent(agent: string, limits: Limits = {}): AgentLimits {
  requireKnown(`Agent ${agent}, limits`, limits, LIMITS, '{ iterations: 40 }');
  const { iterations = DEFAULT_ITERATIONS, depth, tokens, cost, time } = limits;
  const what = (name: string) => `Agent ${agent}, limits.${name}`;
  requireCount(what('iterations'), iterations);
  if (depth !== undefined && !(Number.isInteger(depth) && depth >= 0 && depth <= MAX_DEPTH)) {
    throw new RangeError(`${what('depth')}: use a whole number from 0 to ${MAX_DEPTH}.`);
  }
  if (tokens !== undefined) requireCount(what('tokens'), tokens);
  if (cost !== undefined) requireKnown(what('cost'), cost, ['usd'], '{ usd: 2 }');
  if (cost !== undefined && !(Number.isFinite(cost.usd) && cost.usd > 0)) {
    throw new RangeError(`${what('cost')}: give US dollars above 0, as in { usd: 2 }.`);
  }
  return {
    iterations,
    ...(depth !== undefined && { depth }),
    ...(tokens !== undefined && { tokens }),
    ...(cost && { costUsd: cost.usd }),
    ...(time !== undefined && { timeMs: durationMs(what('time'), time) }),
  };
}

export function loopGuardOf(
  agent: string,
  guard: false | Partial<LoopGuard> = {},
): { loopGuard?: LoopGuard } {
  if (guard === false) return {};
  requireKnown(`Agent ${agent}, loopGuard`, guard, LOOP_GUARD, '{ stopAfter: 8 }, or false');
  const { stopAfter = DEFAULT_GUARD.stopAfter, tellAfter = Math.min(DEFAULT_GUARD.tellAfter, stopAfter) } =
    guard;
  requireCount(`Agent ${agent}, loopGuard.stopAfter`, stopAfter, MOST_REPEATED);
  requireCount(`Agent ${agent}, loopGuard.tellAfter`, tellAfter);
  if (tellAfter < 2 || stopAfter < tellAfter) {
    throw new RangeError(
      `Agent ${agent}, loopGuard: tellAfter is 2 at least, and stopAfter is not less. Use loopGuard: false for none.`,
    );
  }
  return { loopGuard: { tellAfter, stopAfter } };
}

export function planningOf(
  agent: string,
  planning: { every?: number } | undefined,
): { planning?: { every?: number } } {
  if (planning === undefined) return {};
  requireKnown(`Agent ${agent}, planning`, planning, PLANNING, '{}, or { every: 10 }');
  const { every } = planning;
  if (every !== undefined) requireCount(`Agent ${agent}, planning.every`, every);
  return { planning: { ...(every !== undefined && { every }) } };
}

export function requireCount(what: string, value: number, most = Number.POSITIVE_INFINITY): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  const to = most === Number.POSITIVE_INFINITY ? '' : ` to ${most}`;
  throw new RangeError(`${what}: ${value} is not a whole number from 1${to}.`);
}
