import { areNamedArtifacts, type NamedArtifact } from './artifact-names.js';
import { isTranscriptBase, type TranscriptBase } from './carried.js';
import type { CompactionRecord } from './compaction/settings.js';
import { type JsonObject, jsonBytes } from './json.js';
import type { ExceededBudget } from './limits.js';
import type { Covers } from './messages.js';
import { isSessionLimits, type SessionLimits } from './session-limits.js';
import { is, isBoolean, isNonEmptyText, isOneOf, isShape, isWholeNumber } from './shape.js';
import type { OutcomeType } from './turn.js';
import { isMetadata } from './turn-checks.js';
import type { TurnUsage } from './usage.js';
import { WIRE_VERSION } from './version.js';

/** The workflow's type. Its id is the session's id; the ids of its turns are `<session>/<turn>`. */
export const SESSION_WORKFLOW = 'holdfast.session';
/** The memo that tells a session's title and metadata to whoever lists workflows. */
export const SESSION_MEMO = 'holdfast.session';

/** A query of a session, beside `state`, `messages` and `receipt`, which a turn has, too. */
export const TURNS_QUERY = 'turns';

/** Room is left for the turn's own part of its workflow id. */
export const SESSION_ID = /^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,99}$/;

/** What a session is started with; all of it may be left out: `{"v":1}`. */
export type SessionInput = {
  v: 1;
  title?: string;
  metadata?: JsonObject;
  /** `false`: each turn begins with its prompt alone, and no messages are kept. Default `true`. */
  keepTranscript?: boolean;
  /** The messages that it begins with. */
  earlier?: TranscriptBase;
  /** What turns are given in their place. */
  compacted?: TranscriptBase;
  /** What the tools of its earlier turns have given out by name. */
  artifacts?: NamedArtifact[];
  limits?: SessionLimits;
  /** Where those come from. */
  forkedFrom?: { sessionId: string; at?: string };
  /** How many messages and ends of turns one run of the workflow takes at most; default: as many as Temporal advises. */
  messagesPerRun?: number;
};

const TITLE_BYTES = 1000;

export const isTitle = is(
  `a text of ${TITLE_BYTES} bytes at most that is not empty`,
  (value) => typeof value === 'string' && value !== '' && jsonBytes(value) <= TITLE_BYTES,
);

const isSessionInput = isShape(
  { v: isOneOf(WIRE_VERSION) },
  {
    title: isTitle,
    metadata: isMetadata,
    keepTranscript: isBoolean,
    earlier: isTranscriptBase,
    compacted: isTranscriptBase,
    artifacts: areNamedArtifacts,
    limits: isSessionLimits,
    forkedFrom: isShape({ sessionId: isNonEmptyText }, { at: isNonEmptyText }),
    messagesPerRun: isWholeNumber(1, 1_000_000),
  },
);

/** What is wrong with a session's input, one line each. */
export function sessionInputProblems(value: unknown): string[] {
  return isSessionInput(value, '');
}

/** How a session's turn ended; `not_started`: Temporal refused to start it. `gone`: Temporal knows nothing of it any more. */
export type SessionTurnEnd =
  | OutcomeType
  | 'failed'
  | 'canceled'
  | 'terminated'
  | 'timed_out'
  | 'not_started'
  | 'gone';

/** What a session knows of a turn that has ended. */
export type SessionTurn = {
  /** The workflow id: `<session>/<id>`. */
  turnId: string;
  agent: string;
  outcome: SessionTurnEnd;
  /** Of a turn that failed or was not started. */
  failure?: { type: string; message: string };
  /** Where its messages begin in the session's transcript, and how many there are. */
  from: number;
  count: number;
  /** ISO 8601. */
  endedAt: string;
  /** What the session has made shorter between this turn and the next one, and what came to nothing. */
  compactions?: SessionCompaction[];
};

/** `at`: ISO 8601, when it had ended. */
export type SessionCompaction = CompactionRecord & { at: string };

/** The turn that runs. */
export type RunningTurn = {
  /** The workflow id, and the id of the message that it is the turn of. */
  turnId: string;
  id: string;
  agent: string;
  startedAt: string;
};

/** The answer to the `state` query of a session. */
export type SessionState = {
  v: 1;
  sessionId: string;
  title?: string;
  metadata?: JsonObject;
  /** `ended`: closed or canceled. */
  phase: 'idle' | 'running' | 'ended';
  /** Its messages are being compacted, or cut: no turn starts before that has ended. */
  busy?: true;
  running?: RunningTurn;
  /** What waits for its turn, in order; the prompts are shortened. */
  queue: { id: string; agent: string; prompt: string }[];
  /** Turns that have ended. */
  turns: number;
  lastTurn?: SessionTurn;
  messageCount: number;
  /** What the next turn is given in their place: so many messages, a summary for those that it `covers` among them. */
  compacted?: { messageCount: number; covers?: Covers };
  limits?: SessionLimits;
  /** The limit that leaves nothing for another turn. */
  exceeded?: ExceededBudget;
  /** Of all turns that have ended. */
  usage: TurnUsage;
  keepsTranscript: boolean;
  forkedFrom?: { sessionId: string; at?: string };
};

/** The `turns` query: those that are remembered from the `from`th on (the first is 0), and the one that runs. */
export type SessionTurnsPage = {
  v: 1;
  /** Of the first one on the page. */
  from: number;
  turns: SessionTurn[];
  total: number;
  running?: RunningTurn;
};

/** The result of a session that was closed. */
export type SessionOutcome = {
  v: 1;
  sessionId: string;
  turns: number;
  usage: TurnUsage;
  messageCount: number;
};

/** The value of {@link SESSION_MEMO}. */
export type SessionMemo = { v: 1; title?: string; metadata?: JsonObject };
