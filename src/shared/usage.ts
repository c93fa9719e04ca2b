/** What a model call cost. A count that the provider did not tell is absent, never 0. */
export type Usage = {
  inputTokens?: number;
  cachedInputTokens?: number;
  outputTokens?: number;
  reasoningTokens?: number;
};

/** The sum over a turn's model calls. */
export type TurnUsage = {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  /** Model calls that answered, and how many of them told no usage: those are not in the sums. */
  modelCalls: number;
  unknownCalls: number;
};

export const noUsage: TurnUsage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  modelCalls: 0,
  unknownCalls: 0,
};

export function addUsage(sum: TurnUsage, usage: Usage | undefined): TurnUsage {
  return {
    inputTokens: sum.inputTokens + (usage?.inputTokens ?? 0),
    cachedInputTokens: sum.cachedInputTokens + (usage?.cachedInputTokens ?? 0),
    outputTokens: sum.outputTokens + (usage?.outputTokens ?? 0),
    reasoningTokens: sum.reasoningTokens + (usage?.reasoningTokens ?? 0),
    modelCalls: sum.modelCalls + 1,
    unknownCalls: sum.unknownCalls + (usage?.inputTokens === undefined ? 1 : 0),
  };
}
