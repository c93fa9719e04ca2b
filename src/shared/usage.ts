/** What a model call cost. A count that the provider did not tell is absent, never 0. */
export type Usage = {
  inputTokens?: number;
  /** Of the input tokens. */
  cachedInputTokens?: number;
  outputTokens?: number;
  /** Of the output tokens. */
  reasoningTokens?: number;
  /** US dollars, by the price table of the model's options; absent where a price or a count is not known. */
  costUsd?: number;
};

/** The sum over a turn's model calls and their failed tries. */
export type TurnUsage = {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** Model calls that answered. */
  modelCalls: number;
  /** Of the calls and tries those that told no usage, though a reply had begun: they are not in the sums. */
  unknownCalls: number;
  /** Tries that came to nothing; what they told of their usage is in the sums. */
  failedCalls?: number;
  /** US dollars; absent as soon as it is not known of all calls and tries. */
  costUsd?: number;
  /** Where `costUsd` is absent: what those have cost together whose cost is known. */
  knownCostUsd?: number;
  /** Of the calls and tries those whose cost is not known. */
  unpricedCalls?: number;
};

/** A reply had begun, and broke off before the provider told what it cost. */
export type UnknownUsage = 'unknown';

export const noUsage: TurnUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  modelCalls: 0,
  unknownCalls: 0,
  failedCalls: 0,
  costUsd: 0,
  unpricedCalls: 0,
};

/** With one more call, which answered. */
export function addUsage(sum: TurnUsage, usage: Usage | undefined): TurnUsage {
  return joinUsage(sum, { ...sumOf(usage), modelCalls: 1 });
}

/** With one more try that failed. One of which nothing is told had not got as far as to cost anything. */
export function addFailed(sum: TurnUsage, usage: Usage | UnknownUsage | undefined): TurnUsage {
  const spent = usage === undefined ? noUsage : sumOf(usage === 'unknown' ? undefined : usage);
  return joinUsage(sum, { ...spent, failedCalls: 1 });
}

export function joinUsage(one: TurnUsage, other: TurnUsage): TurnUsage {
  const { costUsd, ...sum } = {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    modelCalls: one.modelCalls + other.modelCalls,
    unknownCalls: one.unknownCalls + other.unknownCalls,
    failedCalls: (one.failedCalls ?? 0) + (other.failedCalls ?? 0),
    costUsd:
      one.costUsd === undefined || other.costUsd === undefined ? undefined : one.costUsd + other.costUsd,
    unpricedCalls: (one.unpricedCalls ?? 0) + (other.unpricedCalls ?? 0),
  };
  if (costUsd !== undefined) return { ...sum, costUsd: roundUsd(costUsd) };
  const known = knownCost(one) + knownCost(other);
  return known > 0 ? { ...sum, knownCostUsd: roundUsd(known) } : sum;
}

function knownCost({ costUsd, knownCostUsd }: TurnUsage): number {
  return costUsd ?? knownCostUsd ?? 0;
}

/** To a billionth of a dollar, so that sums of floating point numbers stay readable. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

function sumOf(usage: Usage | undefined): TurnUsage {
  const { costUsd: _costUsd, ...none } = noUsage;
  return {
    ...none,
    inputTokens: usage?.inputTokens ?? 0,
    cachedInputTokens: usage?.cachedInputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
    unknownCalls: usage?.inputTokens === undefined ? 1 : 0,
    unpricedCalls: usage?.costUsd === undefined ? 1 : 0,
    ...(usage?.costUsd !== undefined && { costUsd: usage.costUsd }),
  };
}

/** What the end of a model call that gave no reply tells of its tries: a failure's or a cancellation's details, a beat. */
export function spentIn(details: unknown): TurnUsage | undefined {
  if (typeof details !== 'object' || details === null || !('spent' in details)) return undefined;
  const { spent } = details;
  const isSum = typeof spent === 'object' && spent !== null && 'inputTokens' in spent;
  return isSum ? (spent as TurnUsage) : undefined;
}
