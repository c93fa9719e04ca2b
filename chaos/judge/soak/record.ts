import type { Message } from 'holdfast/client';
import type { RunSize } from '../chain.js';

// What the judge goes by: of each session, what the event histories tell.

/** A message that the server has taken for good, in its turn: what was said (`<session>/<id>`), or a reply by its message id. */
export type Committed = { kind: 'said' | 'reply'; key: string };

/** The recorded result of a call that had ended before its turn was interrupted, if it was: what it told the model. */
export type CommittedResult = { callId: string; replyId: string; text: string };

/** What a summary stands for: the messages of an artifact, of a range whose ends are the ids `from` and `to`. */
export type Covers = { from: string; to: string; count: number; artifact?: { sha256: string } };

export type TurnRecord = {
  turnId: string;
  /** How it ended: the type of its outcome, `canceled`, `failed: ...`, or `open`. */
  ended: string;
  committed: Committed[];
  results: CommittedResult[];
  compactions: number;
  /** Of the summaries that it has made. */
  covers: Covers[];
};

export type SessionRecord = {
  sessionId: string;
  ended: string;
  /** In the order in which they were started. */
  turns: TurnRecord[];
  sessionRuns: RunSize[];
  turnRuns: RunSize[];
  /** What the session has kept, with its summaries as they stand in it. */
  transcript: Message[];
  /** What the next turn would be given in its place, where something was compacted. */
  given?: Message[];
  /** How often the session itself has compacted it, between two turns. */
  compactions: number;
};

/** The messages of an artifact that a summary names; undefined where it is not in the store. */
export type ReadArchive = (sha256: string) => Message[] | undefined;
