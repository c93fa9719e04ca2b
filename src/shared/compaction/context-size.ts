import type { Message } from '../messages.js';
import type { Usage } from '../usage.js';
import type { CompactionRecord, CompactionSettings } from './settings.js';
import { tokensOfAll } from './tokens.js';

/** The transcript as far as it is needed here; `epoch` changes when it is rewritten. */
type Measured = {
  readonly epoch: number;
  readonly count: number;
  since(position: number): readonly Message[];
};

/** Between two runs of a turn's workflow. */
export type CarriedSize = { tokens: number; count: number; notBefore: number };

/**
 * How many tokens the next model call sends: what the last reply told, and an estimate of what was added since; all of it
 * an estimate where no reply has told.
 */
export class ContextSize {
  #tokens = 0;
  #count = 0;
  #epoch = 0;
  #isKnown = false;
  /** One that came to nothing is not tried again below that. */
  #notBefore = 0;

  resume(carried: CarriedSize | undefined, { epoch }: Measured): void {
    if (!carried) return;
    this.#tokens = carried.tokens;
    this.#count = carried.count;
    this.#notBefore = carried.notBefore;
    this.#epoch = epoch;
    this.#isKnown = true;
  }

  carried(transcript: Measured, settings: CompactionSettings): CarriedSize {
    const { count } = transcript;
    return { tokens: this.tokens(transcript, settings), count, notBefore: this.#notBefore };
  }

  /** A reply, which is not in the transcript yet. */
  replied({ inputTokens, outputTokens = 0, reasoningTokens = 0 }: Usage, { epoch, count }: Measured): void {
    if (inputTokens === undefined) return;
    this.#isKnown = true;
    this.#tokens = inputTokens + Math.max(0, outputTokens - reasoningTokens);
    this.#count = count + 1;
    this.#epoch = epoch;
  }

  tokens(transcript: Measured, { rates, overheadTokens }: CompactionSettings): number {
    const isCurrent = this.#isKnown && this.#epoch === transcript.epoch;
    if (isCurrent) return this.#tokens + tokensOfAll(transcript.since(this.#count), rates);
    return overheadTokens + tokensOfAll(transcript.since(0), rates);
  }

  isDue(transcript: Measured, settings: CompactionSettings): boolean {
    const { automatic, window, at } = settings;
    if (!automatic || window === undefined) return false;
    return this.tokens(transcript, settings) >= Math.max(window * at, this.#notBefore);
  }

  /** The transcript was rewritten by it, or it came to nothing. */
  compacted(
    { after }: Pick<CompactionRecord, 'after'>,
    { growth }: CompactionSettings,
    transcript: Measured,
  ): void {
    this.#tokens = after;
    this.#count = transcript.count;
    this.#epoch = transcript.epoch;
    this.#isKnown = true;
    this.#notBefore = after * (1 + growth);
  }
}
