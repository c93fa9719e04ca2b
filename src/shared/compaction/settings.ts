import type { Covers, UserMessage } from '../messages.js';
import type { Timing } from '../steps.js';
import type { Usage } from '../usage.js';

/** How a text is taken for tokens where no provider has told. Recorded, as the workflow counts with it. */
export type TokenRates = { bytesPerToken: number; imageTokens: number };

/** When and how a turn's transcript is compacted; resolved in the turn's first model call, and recorded. */
export type CompactionSettings = {
  /** Whether it happens by itself, or on request only. */
  automatic: boolean;
  /** Of the model's window: beyond it the transcript is compacted, and how much is left then. */
  at: number;
  to: number;
  /** The model's context window in tokens; absent where nobody knows it: then nothing happens before it is full. */
  window?: number;
  /** What writes summaries, where it is not the turn's own model. */
  model?: string;
  /** Of one try. */
  timeoutMs: number;
  /** Of tries, where the turn can go on without it. */
  attempts: number;
  /** One that came to nothing is not tried again before the transcript has grown by this share. */
  growth: number;
  /** How often one model call may be too long and be made again. */
  maxPerCall: number;
  /** What it has cost is looked at before the model call; absent in turns of older workers. */
  keepsToBudget?: true;
  /** What every request has beside the messages: instructions, and the descriptions of tools. */
  overheadTokens: number;
  rates: TokenRates;
};

/**
 * `window`: the transcript has reached the share of the model's window. `too_long`: the provider has refused it.
 * `asked`: somebody wants it.
 */
export type CompactionTrigger = 'window' | 'too_long' | 'asked';

/** Somebody asks for one. `focus`: what the summary is to keep, in words. */
export type CompactRequest = { id: string; by?: string; focus?: string };

/** What stands for older messages. */
export type SummaryMessage = UserMessage & { covers: Covers };

/** What a compaction came to. Sizes are tokens: told by the provider where it did, else estimated. */
export type CompactionRecord = Timing & {
  trigger: CompactionTrigger;
  /** `cleared`: old tool results; `summary`: the older part; absent where nothing was changed. */
  method?: 'cleared' | 'summary';
  before: number;
  after: number;
  /** Of a summary. */
  covers?: Covers;
  /** Tool results that were cleared. */
  cleared?: number;
  /** Why no artifact has what was taken out: the event history has it, and the model can't read it. */
  notKept?: string;
  /** What the summary has cost. */
  usage?: Usage;
  /** Why nothing was changed. */
  problem?: string;
};
