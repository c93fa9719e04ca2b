import type { Message } from './messages.js';

/**
 * Where a transcript's messages are, so that they are never sent twice: the first `to` messages of an open run,
 * the last of them `headId`. `epoch` counts the run's rewrites of its transcript (a compaction): a span into an
 * earlier epoch is stale.
 */
export type TranscriptSpan = {
  workflowId: string;
  runId: string;
  epoch: number;
  to: number;
  headId: string;
  /** Whether rounds were dropped; absent in old ones, where any epoch but the first says so. */
  dropped?: boolean;
  /** Of the first run where `runId` continues others: what a worker remembers of those counts. */
  firstRunId?: string;
};

/** `spans` in order, then `tail`: messages of this one call that no run holds. */
export type TranscriptRef = { spans: TranscriptSpan[]; tail: Message[] };
