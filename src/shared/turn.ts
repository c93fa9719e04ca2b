import { areNamedArtifacts, type NamedArtifact } from './artifact-names.js';
import { isTranscriptBase, type TranscriptBase } from './carried.js';
import type { CompactionSettings, SummaryMessage } from './compaction/settings.js';
import type { HookSettings } from './hooks.js';
import { type EarlyEnd, type Intervention, isEarlyEnd, type SteerMessage } from './interventions.js';
import { isJsonObject, type Json, type JsonObject, jsonBytes } from './json.js';
import {
  type Budget,
  type BudgetShare,
  type ExceededBudget,
  isBudgetShare,
  isLimits,
  type Limits,
} from './limits.js';
import type { LoopGuard } from './loop-guard.js';
import type { McpPlace, McpSettings, ToolAnnotations } from './mcp.js';
import { isMessage, type Message } from './messages.js';
import { isModelOptions, type ModelOptions } from './model-options.js';
import { isParentTurn, type ParentTurn } from './parent-turn.js';
import { PERMISSION_MODES, type PermissionMode, type PermissionRules } from './permissions.js';
import { isPromptParts, type PromptPart } from './prompt-parts.js';
import type { RemotePlace } from './remote-tools.js';
import { isBoolean, isListOf, isNonEmptyText, isOneOf, isShape, isText } from './shape.js';
import type { TurnStep } from './steps.js';
import { isMetadata, isTenant } from './turn-checks.js';
import type { TurnUsage } from './usage.js';
import { WIRE_VERSION } from './version.js';
import { errorText } from './wire-text.js';

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

/** Temporal carries 2 MB a payload, and the prompt is in the outcome again, with what is said about it. */
const INPUT_BYTES = 1_500_000;

/** A turn's id is its workflow id, whole, and becomes a part of URLs. */
export const TURN_ID = /^[a-zA-Z0-9][a-zA-Z0-9._:/-]{0,199}$/;

export type TurnInput = {
  v: 1;
  agent: string;
  /** The agent's version; without it, the one that the worker has. */
  version?: string;
  prompt: string;
  /** What the model is given after the prompt, in order: images, files, more text. */
  attachments?: PromptPart[];
  /** Earlier messages of the conversation. */
  transcript?: Message[];
  /** In place of the agent's own instructions. */
  instructions?: string;
  /** In place of the agent's own model name. */
  model?: string;
  /** Each in place of the model's own. */
  modelOptions?: ModelOptions;
  limits?: Limits;
  /** In place of the agent's own. Its deny rules hold in each. */
  mode?: PermissionMode;
  /** Whether the text is to be watched as it comes. It makes heartbeats five times as frequent. */
  stream?: boolean;
  metadata?: JsonObject;
  /** For fair shares between tenants. */
  tenant?: string;
  /** W3C trace context. */
  traceparent?: string;
  /** Set by the turn that calls a sub-agent, and by a session. */
  parent?: ParentTurn;
  /** Set by a session: its messages up to now, packed, in the place of a `transcript`. */
  earlier?: TranscriptBase;
  /** Set by a session: the rules that people have added by "always" to this agent in its earlier turns. */
  always?: string[];
  /** Set by a session: what the tools of its earlier turns have given out by name. */
  artifacts?: NamedArtifact[];
  /** Set by a session: what is left of its own limits. */
  share?: BudgetShare;
  /** Set by a session: somebody has ended the turn before it could begin. */
  ended?: EarlyEnd;
};

const isTurnInput = isShape(
  { v: isOneOf(WIRE_VERSION), agent: isNonEmptyText, prompt: isText },
  {
    version: isText,
    attachments: isPromptParts,
    transcript: isListOf(isMessage),
    instructions: isText,
    model: isText,
    modelOptions: isModelOptions,
    limits: isLimits,
    mode: isOneOf(...PERMISSION_MODES),
    stream: isBoolean,
    metadata: isMetadata,
    tenant: isTenant,
    traceparent: isText,
    parent: isParentTurn,
    earlier: isTranscriptBase,
    always: isListOf(isText),
    artifacts: areNamedArtifacts,
    share: isBudgetShare,
    ended: isEarlyEnd,
  },
);

/** What a turn is given by whoever started it in another one's name. */
export const GIVEN_BY_PARENT = ['parent', 'earlier', 'always', 'artifacts', 'share', 'ended'] as const;
export type GivenByParent = (typeof GIVEN_BY_PARENT)[number];

/** What is wrong with a turn input, one line each: `limits.iterations: expected a whole number ...`. None if it is one. */
export function turnInputProblems(value: unknown): string[] {
  try {
    // JSON that is nested some thousand levels deep overflows the stack of whoever writes it.
    const bytes = jsonBytes(value);
    const problems = isTurnInput(value, '');
    if (isJsonObject(value) && value['earlier'] && value['transcript'])
      problems.push('transcript: a turn that is given `earlier` messages takes no others');
    if (problems.length > 0 || bytes <= INPUT_BYTES) return problems;
    return [`(it): takes ${bytes} bytes; a turn's input may take ${INPUT_BYTES}. ${adviceOn(value)}`];
  } catch (error) {
    return [errorText(error)];
  }
}

function adviceOn(value: unknown): string {
  const attached = isJsonObject(value) ? jsonBytes(value['attachments'] ?? []) : 0;
  return attached > INPUT_BYTES / 2
    ? 'Make the attachments smaller, give images by their url, or let a tool read the files.'
    : 'Put long texts into a file that a tool reads.';
}

/** What a turn runs with: resolved once, in its first model call, and recorded in that call's result. */
export type TurnSettings = {
  agent: string;
  version: string;
  model: string;
  /** `depth`: where it has sub-agents. */
  limits: { iterations: number; depth?: number } & Budget;
  /** Absent where it is turned off. */
  loopGuard?: LoopGuard;
  /** At the limit of iterations one more call is made, without tools, for an answer. */
  closing?: 'answer';
  /** That answer is asked for as the agent's output, and may be it. */
  closesWithOutput?: true;
  /** The first model call makes a plan, and then one before each `every` others. */
  planning?: { every?: number };
  /** The most tool calls of one reply that run side by side. */
  maxParallelTools: number;
  /** Replies in a row that the output limit may cut before the turn ends as `truncated`. */
  maxTruncatedReplies: number;
  /** After an interrupt, tools that have not ended by then are settled without them. Milliseconds. */
  settleMs: number;
  /** A turn's messages that take more bytes than this are not in its result but are read by query. */
  inlineResultBytes: number;
  /** Between the tries of a tool that may be tried again: the first wait and the longest, milliseconds. */
  toolRetry: { initialMs: number; maxMs: number };
  /** Of the results of one reply's calls together, in UTF-8 bytes: they are one message, which a query must carry. */
  roundResultBytes?: number;
  /** Of the images in them, in bytes of base64. */
  roundImageBytes?: number;
  /** How often a tool call that had not begun when its worker died is started anew. */
  maxRestarts: number;
  /**
   * When the turn goes on in a new run of its workflow: when Temporal suggests it, or after so many model calls. A
   * transcript of up to `plainBytes` of JSON is passed on as it is; else it is packed, and goes into the artifact store
   * where it takes more than `packedBytes`. Where packing fails, it is tried again after `retryAfter` model calls. A
   * turn that was started without this stays in one run.
   */
  continueAsNew?: { iterations?: number; plainBytes: number; packedBytes: number; retryAfter: number };
  /** The oldest rounds are dropped from a transcript that takes more JSON than this. */
  maxContextBytes?: number;
  /** A turn that was started without it is never compacted. */
  compaction?: CompactionSettings;
  /** What nobody decides in that time is denied. Without it, it waits. */
  approvalTimeoutMs?: number;
  /** The agent's own, where it has sub-agents, in whose turns they hold. */
  permissions?: PermissionRules;
  /** What the turn's last reply must be: JSON of this schema, which is asked for `maxAsks` times beyond the first. */
  output?: { schema: JsonObject; maxAsks: number };
  /** Of an agent with hooks that are called outside a model call. */
  hooks?: HookSettings;
  /** The answer is given by a tool, which is asked for as often; `isOutput`: what it is given is the turn's output. */
  finalAnswer?: { maxAsks: number; isOutput?: boolean };
  /** The agent has checks of its answer. */
  checksAnswer?: boolean;
  tools: ToolSettings[];
  /** Of an agent with MCP servers. */
  mcp?: McpSettings;
};

export type ToolSettings = {
  name: string;
  /** May run again after a crash. */
  idempotent: boolean;
  /** May run beside other calls of the same reply. */
  parallel: boolean;
  /** Start to close, milliseconds. */
  timeoutMs: number;
  heartbeatTimeoutMs: number;
  /** How often Temporal may start it when it asks for a retry or, if idempotent, when its worker died. */
  maxAttempts: number;
  /** Between its tries, where the tool says so itself; milliseconds. */
  retry?: { initialMs: number; maxMs: number };
  /** Whether it can tell, after a crash, what happened. */
  reconciles: boolean;
  /** Making the same call again and again is what it is for. */
  repeatable?: true;
  /** Of the schema that its arguments are checked with. */
  schemaHash: string;
  /** The tool is a sub-agent: a call of it is a turn of this agent. */
  agent?: { name: string; version: string };
  /** Of a tool of an MCP server, which runs as the activity `default`. */
  mcp?: McpPlace;
  /** What the server says of it, where that counts. */
  annotations?: ToolAnnotations;
  /** Another worker runs it, as an activity of its own. */
  remote?: RemotePlace;
  /** It runs as a local activity: idempotent, and a second at most. */
  local?: true;
};

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
