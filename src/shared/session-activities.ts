import type { NamedArtifact } from './artifact-names.js';
import type { TranscriptBase, TranscriptSegment } from './carried.js';
import type { CompactionRecord } from './compaction/settings.js';
import type { CutPlace } from './cut-transcript.js';
import type { SteerMessage } from './interventions.js';
import type { JsonObject } from './json.js';
import type { Message } from './messages.js';
import type { SessionTurnEnd } from './session.js';
import type { TurnUsage } from './usage.js';

/** Activity types of a session. */
export const COLLECT_TURN = 'holdfast.collectTurn';
export const CUT_TRANSCRIPT = 'holdfast.cutTranscript';
export const COMPACT_SESSION = 'holdfast.compactSession';
export const READ_MESSAGES = 'holdfast.readMessages';
/** The workflow, of one run of {@link READ_MESSAGES}, by which a client reads what is in the workers' artifact store. */
export const READ_MESSAGES_WORKFLOW = 'holdfast.readMessages';

/** Asks how a turn of a session has ended, and for the session's messages with those of the turn. */
export type CollectTurnInput = {
  v: 1;
  /** The workflow id. */
  turnId: string;
  /** Of the session; absent where it has none yet. */
  base?: TranscriptBase;
  /** What the turn was given in its place. */
  compacted?: TranscriptBase;
  keepTranscript: boolean;
  /** How long the end is waited for where the turn still runs. */
  waitMs: number;
};

export type CollectedTurn = { v: 1; ended: false } | ({ v: 1; ended: true } & EndedTurn);

export type EndedTurn = {
  outcome: SessionTurnEnd;
  failure?: { type: string; message: string };
  /** The session's messages now. */
  base?: TranscriptBase;
  /** What the next turn is to be given in their place, where that is less. */
  compacted?: TranscriptBase;
  /** What its tools have given out by name. */
  artifacts?: NamedArtifact[];
  /** It has tried a compaction that somebody had asked for. */
  asked?: true;
  /** How many messages the turn has added. */
  added: number;
  usage: TurnUsage;
  /** The rules that people have added by "always". */
  always: string[];
  /** The ids of the messages sent into the turn that a model call has seen. */
  delivered: string[];
  /** Those that it has handed back. */
  undelivered: SteerMessage[];
};

export type CutTranscriptInput = {
  v: 1;
  base: TranscriptBase;
  compacted?: TranscriptBase;
  keep: CutPlace;
};
/**
 * `problem`: the transcript can't be cut there. Without a base nothing is left. `compacted` is absent, too, where the place is
 * before the end of what a summary stands for.
 */
export type CutTranscript = { v: 1; problem?: string } & SessionMessages;

/** What a session has of its conversation: the messages, what turns are given in their place, the artifacts in them. */
export type SessionMessages = {
  base?: TranscriptBase;
  compacted?: TranscriptBase;
  artifacts?: NamedArtifact[];
};

/** Asks for a summary of the older part of a session's messages, which `base` holds; one of the agent's model. */
export type CompactSessionInput = {
  v: 1;
  sessionId: string;
  base: TranscriptBase;
  agent: string;
  version?: string;
  model?: string;
  focus?: string;
  metadata?: JsonObject;
};

/** `compacted` is absent where nothing is changed. `spent`: by tries that came to nothing. */
export type CompactedSession = {
  v: 1;
  record: CompactionRecord;
  compacted?: TranscriptBase;
  spent?: TurnUsage;
};

/** As many messages from the `from`th on (the first is 0) as `maxBytes` of JSON hold, but at least one. */
export type ReadMessagesInput = { v: 1; segment: TranscriptSegment; from: number; maxBytes: number };
export type ReadMessages = { v: 1; messages: Message[] };
