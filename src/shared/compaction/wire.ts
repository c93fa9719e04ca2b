import type { JsonObject } from '../json.js';
import type { Timing } from '../steps.js';
import type { TranscriptRef } from '../transcript-ref.js';
import type { TurnSettings } from '../turn-settings.js';
import type { TurnUsage } from '../usage.js';
import { wireLine } from '../wire-text.js';
import type { Piece } from './pieces.js';
import type { CompactionRecord, CompactionSettings, CompactionTrigger } from './settings.js';

export const COMPACT_TRANSCRIPT = 'holdfast.compact';

export type CompactInput = {
  v: 1;
  agent: string;
  version: string;
  turnId: string;
  /** Of the model call that it is made before. */
  iteration: number;
  transcript: TranscriptRef;
  /** So many of the first messages the workflow does not hold itself. */
  packed: number;
  trigger: CompactionTrigger;
  /** What the transcript takes now, and every request beside it. */
  tokens: number;
  settings: CompactionSettings;
  /** The turn's own. */
  model: string;
  focus?: string;
  metadata?: JsonObject;
};

/** `pieces`: the new transcript; absent where nothing is changed. */
export type CompactReply = {
  v: 1;
  attempt: number;
  record: CompactionRecord;
  pieces?: Piece[];
  /** Of tries that came to nothing. */
  spent?: TurnUsage;
};

const PROBLEM_BYTES = 500;

/** Why a compaction came to nothing, as it is recorded. */
export function problemLine(text: string): string {
  return wireLine(text, PROBLEM_BYTES);
}

/** Of a turn that fails for its length: what the provider says would tell its reader only to shorten it. */
export function notCompacted(problem: string, said: string): string {
  return `The conversation is too long, and could not be compacted: ${problem} What the model's provider said of it: ${said}`;
}

/** A model call was not made, or the provider has refused it: the transcript is to be compacted first. */
export type TooLongReply = Timing & {
  v: 1;
  tooLong: string;
  /** `window`: by an estimate, and no provider was asked. */
  trigger: Exclude<CompactionTrigger, 'asked'>;
  attempt?: number;
  spent?: TurnUsage;
  /** As in a reply: of the first call of a turn. */
  settings?: TurnSettings;
  instructions?: string;
};
