import type { OutputRequest } from './activities.js';
import type { NamedArtifact } from './artifact-names.js';
import { type ArtifactRef, isArtifactRef } from './artifacts.js';
import type { CarriedSize } from './compaction/context-size.js';
import type { CompactRequest, SummaryMessage } from './compaction/settings.js';
import type { Receipt, SteerMessage } from './interventions.js';
import { type Covers, isCovers, isMessage, type Message } from './messages.js';
import type { TurnPermissions } from './permissions.js';
import { type Check, isListOf, isNonEmptyText, isOneOf, isShape, isText, isWholeNumber } from './shape.js';
import type { TurnStep } from './steps.js';
import type { TurnUsage } from './turn.js';
import type { TurnSettings } from './turn-settings.js';

// A long turn goes on in a new run of its workflow (continue-as-new) before its event history gets too long. This is
// what the new run is given.

/**
 * Messages that follow on one another: as gzipped JSON (of a list), base64 inline or in the artifact store; or as they are,
 * where a workflow itself has put them there.
 */
export type TranscriptSegment = {
  /** How many messages it holds. */
  count: number;
  /** Of the gzipped JSON, or of the JSON where it is plain. */
  bytes: number;
} & ({ inline: string } | { artifact: ArtifactRef } | { plain: Message[] });

/** The first messages of a transcript, which the workflow passes on but does not unpack. */
export type TranscriptBase = {
  segments: TranscriptSegment[];
  /** Messages in all of them; the last of these is `headId`, of role `lastRole`. */
  count: number;
  headId: string;
  lastRole: Message['role'];
  /** Some of them stand for others, which are not there: a summary for those that it `covers`. */
  compacted?: { covers?: Covers };
};

const count = isWholeNumber(1, Number.MAX_SAFE_INTEGER);
const sizes = { count, bytes: count };
const isInline = isShape({ ...sizes, inline: isText });
const isKept = isShape({ ...sizes, artifact: isArtifactRef });
const isPlain = isShape({ ...sizes, plain: isListOf(isMessage) });
const isSegment: Check = (value, path) => {
  const has = (name: string) => typeof value === 'object' && value !== null && name in value;
  return (has('plain') ? isPlain : has('artifact') ? isKept : isInline)(value, path);
};

/** Of one that somebody hands in. What its segments hold shows when they are unpacked. */
export const isTranscriptBase: Check = isShape(
  {
    segments: isListOf(isSegment),
    count,
    headId: isNonEmptyText,
    lastRole: isOneOf('system', 'user', 'assistant', 'tool'),
  },
  { compacted: isShape({}, { covers: isCovers }) },
);

/** A transcript between two runs: whole where it is small, else as a base. */
export type CarriedTranscript = {
  epoch: number;
  /** Whether rounds were dropped; absent in old ones, where any epoch but the first says so. */
  dropped?: boolean;
  /** It was compacted: the turn's own messages are not all there, or not whole. */
  compacted?: true;
  /** The index of the first message that the turn added, and how many it has added. */
  deltaFrom: number;
  added: number;
} & ({ messages: Message[] } | { base: TranscriptBase });

/** What people have asked of the turn so far. The receipts are the latest ones. */
export type CarriedInterventions = {
  steers: SteerMessage[];
  receipts: Receipt[];
  fallbackIds: [name: string, count: number][];
  /** It waits for the next model call. */
  compact?: CompactRequest;
};

export type CarriedCompaction = { size: CarriedSize; count: number; summary?: SummaryMessage };

/** The state of a turn between two runs; the workflow's second argument. */
export type CarriedTurn = {
  v: 1;
  iteration: number;
  usage: TurnUsage;
  /** Absent where they are too many. */
  steps?: TurnStep[];
  settings: TurnSettings;
  truncatedInARow: number;
  /** Of the last reply. */
  text: string;
  /** How often the turn's output was asked for, and whether the next model call is to ask for it. */
  output?: { asked: number; request?: OutputRequest };
  /** What people have decided for the rest of the turn. */
  permissions?: TurnPermissions;
  /** How long the transcript is, and what was last made of it. */
  compaction?: CarriedCompaction;
  /** By name. */
  artifacts?: NamedArtifact[];
  guards?: CarriedGuards;
  transcript: CarriedTranscript;
  interventions: CarriedInterventions;
};

/** What the limits of a turn are measured by, beside its usage. */
export type CarriedGuards = {
  /** How long it has worked, in milliseconds. */
  workedMs: number;
  /** Model calls that count for no limit, as they made plans. */
  plans: number;
  /** How many others there had been at the last one. */
  plannedAt: number;
  /** The next model call is to carry out a plan. */
  carryOut?: true;
  /** The last plan came to nothing, which the next model call is to be told. */
  noPlan?: true;
};
