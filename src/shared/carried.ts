import type { OutputRequest } from './activities.js';
import type { NamedArtifact } from './artifact-names.js';
import type { ArtifactRef } from './artifacts.js';
import type { Receipt, SteerMessage } from './interventions.js';
import type { Message } from './messages.js';
import type { TurnPermissions } from './permissions.js';
import type { TurnStep } from './steps.js';
import type { TurnSettings, TurnUsage } from './turn.js';

// A long turn goes on in a new run of its workflow (continue-as-new) before its event history gets too long. This is
// what the new run is given.

/** Messages that follow on one another, as gzipped JSON (of a list), base64 inline or in the artifact store. */
export type TranscriptSegment = {
  /** How many messages it holds. */
  count: number;
  /** Of the gzipped JSON. */
  bytes: number;
} & ({ inline: string } | { artifact: ArtifactRef });

/** The first messages of a transcript, which the workflow passes on but does not unpack. */
export type TranscriptBase = {
  segments: TranscriptSegment[];
  /** Messages in all of them; the last of these is `headId`, of role `lastRole`. */
  count: number;
  headId: string;
  lastRole: Message['role'];
};

/** A transcript between two runs: whole where it is small, else as a base. */
export type CarriedTranscript = {
  epoch: number;
  /** Whether rounds were dropped; absent in old ones, where any epoch but the first says so. */
  dropped?: boolean;
  /** The index of the first message that the turn added, and how many it has added. */
  deltaFrom: number;
  added: number;
} & ({ messages: Message[] } | { base: TranscriptBase });

/** What people have asked of the turn so far. The receipts are the latest ones. */
export type CarriedInterventions = {
  steers: SteerMessage[];
  receipts: Receipt[];
  fallbackIds: [name: string, count: number][];
};

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
};
