import type { Compaction } from '../define/compaction.js';
import type { CompactionSettings, TokenRates } from '../shared/compaction/settings.js';
import { textTokens } from '../shared/compaction/tokens.js';
import type { ToolDescription } from '../shared/model-port.js';
import { knownWindow } from './context-windows.js';

const RATES: TokenRates = { bytesPerToken: 4, imageTokens: 2000 };
const ATTEMPTS = 3;
const GROWTH = 0.1;
const MAX_PER_CALL = 3;

/** As a turn with this model is to record them. */
export function compactionSettings(
  compaction: Compaction,
  model: string,
  beside: { instructions: string; tools: readonly ToolDescription[] },
): CompactionSettings {
  const { automatic, at, to, timeoutMs, window: given, model: own } = compaction;
  const window = (typeof given === 'number' ? given : given?.[model]) ?? knownWindow(model);
  const summaryModel = typeof own === 'string' ? own : own?.name;
  return {
    automatic,
    at,
    to,
    timeoutMs,
    ...(window !== undefined && { window }),
    ...(summaryModel !== undefined && { model: summaryModel }),
    attempts: ATTEMPTS,
    growth: GROWTH,
    maxPerCall: MAX_PER_CALL,
    keepsToBudget: true,
    overheadTokens: textTokens(beside.instructions, RATES) + textTokens(JSON.stringify(beside.tools), RATES),
    rates: RATES,
  };
}
