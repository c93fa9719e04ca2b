import type { NamedArtifact } from './artifact-names.js';
import type { TranscriptBase } from './carried.js';
import type { SummaryMessage } from './compaction/settings.js';
import type { Intervention, SteerMessage } from './interventions.js';
import type { Json } from './json.js';
import type { ExceededBudget } from './limits.js';
import type { Message } from './messages.js';
import type { TurnStep } from './steps.js';
import type { TurnUsage } from './usage.js';

export type { ExceededBudget, Limits } from './limits.js';
export type { CallStatus, TurnState } from './turn-state.js';
export type { TurnUsage, Usage } from './usage.js';

/** Names that Temporal sees. A workflow of one of these types on any server is Holdfast's. */
export const TURN_WORKFLOW = 'holdfast.turn';
export const DEFAULT_TASK_QUEUE = 'holdfast';
export const STATE_QUERY = 'state';
export const MESSAGES_QUERY = 'messages';

/** How long a turn waits where its worker dies with a workflow task in hand, which no supervisor can tell; else 10 s. */
export const WORKFLOW_TASK_TIMEOUT = '5 seconds';

/** A turn's id is its workflow id, whole, and becomes a part of URLs. */
export const TURN_ID = /^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,199}$/;

/**
 * `budget_exceeded`: `outcome.exceeded` says of which. `loop_detected`: the same calls again and again.
 * `invalid_output`: the agent has an `output` or a `finalAnswer`, and no reply was one, however often it was asked.
 *
 * A later version may add one: what reads outcomes of other versions takes one that it does not know for a turn that did
 * not complete.
 */
export type OutcomeType =
  | 'completed'
  | 'interrupted'
  | 'max_iterations'
  | 'budget_exceeded'
  | 'loop_detected'
  | 'refused'
  | 'truncated'
  | 'invalid_output';

/** How a turn ended. The workflow's result; of a failed turn, the failure's details. */
export type TurnOutcome = {
  v: 1;
  type: OutcomeType | 'failed';
  turnId: string;
  agent: string;
  version: string;
  /**
   * The text of the last reply, its first 80 KB at least where it is very long; `''` where there is none. Of a completed
   * turn whose answer a tool gives: that answer, as JSON where it is no text.
   */
  text: string;
  /** Of an agent with an `output`: the answer as JSON, checked. A completed turn has it; a closing answer may have given it. */
  output?: Json;
  /** Model calls that answered. */
  iterations: number;
  usage: TurnUsage;
  /** What its tools have given out by name, the last 50; absent where that is nothing. */
  artifacts?: NamedArtifact[];
  /** How many messages this turn added. */
  messageCount: number;
  /** The messages that this turn added; absent when they take over 64 KB: then they are in the event history,
   * and the `messages` query pages them. */
  messages?: Message[];
  /**
   * One an iteration. Absent where they or the messages take over 64 KB: then they are rebuilt from the event history,
   * as a client's `result()` does.
   */
  steps?: TurnStep[];
  /** Of a turn that was compacted: the last summary, which stands for the messages that it `covers`. */
  summary?: SummaryMessage;
  /** Of `budget_exceeded`: which limit, and how much was used. */
  exceeded?: ExceededBudget;
  /** Of an interrupted turn: who ended it, and why. */
  intervention?: Intervention;
  /** Steering messages that came too late for a model call, handed back. */
  undelivered?: SteerMessage[];
};

/** The `messages` query: from index `from` on, as many as fit in `maxBytes` of JSON, at least one. */
export type MessagesPageRequest = { v: 1; from: number; to?: number; maxBytes?: number };
export type MessagesPage = {
  v: 1;
  from: number;
  messages: Message[];
  total: number;
  deltaFrom: number;
  /** Where the page begins in what an earlier run has packed: that, and no messages. The next page is from its end. */
  base?: TranscriptBase;
};
