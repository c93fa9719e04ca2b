import type { NamedArtifact } from './artifact-names.js';
import type { TranscriptBase } from './carried.js';
import type { CompactRequest } from './compaction/settings.js';
import type { SteerMessage } from './interventions.js';
import type { JsonObject } from './json.js';
import type { RunningTurn, SessionTurn } from './session.js';
import type { SessionLimits } from './session-limits.js';
import type { QueueItem } from './session-queue.js';
import type { SendReceipt, TurnRequest } from './session-requests.js';
import type { TurnUsage } from './usage.js';

/** The turn that runs, as the session's next run is told of it. */
export type CarriedRunningTurn = RunningTurn & {
  /** What it was asked, without the prompt: a turn that follows by itself is asked the same. */
  request: Omit<TurnRequest, 'prompt' | 'attachments'>;
  /** Messages that were passed on to it: which of them it has taken shows at its end. */
  steers: SteerMessage[];
  /** A compaction was asked of it: the session does it where the turn has not come to it. */
  compact?: Pick<CompactRequest, 'focus'>;
  /** It has told of its end. */
  heard?: true;
};

/** The state of a session between two runs of its workflow; the workflow's second argument. */
export type CarriedSession = {
  v: 1;
  title?: string;
  metadata?: JsonObject;
  base?: TranscriptBase;
  compacted?: TranscriptBase;
  artifacts?: NamedArtifact[];
  limits?: SessionLimits;
  queue: QueueItem[];
  running?: CarriedRunningTurn;
  /** The latest ones, and how many there were in all. */
  turns: SessionTurn[];
  turnCount: number;
  usage: TurnUsage;
  /** What the last turn was asked, where that is not long. */
  lastRequest?: CarriedRunningTurn['request'];
  /** The rules that people have added by "always", by agent. */
  always: Record<string, string[]>;
  /** The latest ones; how many messages bore no id. */
  receipts: SendReceipt[];
  unnamed: number;
  closing?: true;
  canceled?: true;
};
