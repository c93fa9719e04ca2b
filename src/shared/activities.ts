import type { NamedArtifact } from './artifact-names.js';
import type { ArtifactRef } from './artifacts.js';
import type { TranscriptSegment } from './carried.js';
import type { HookRecord } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { BudgetShare, Limits } from './limits.js';
import type { McpPlace, McpSettings } from './mcp.js';
import type { AssistantMessage, ToolResultBlock } from './messages.js';
import type { ModelOptions } from './model-options.js';
import type { TurnNote } from './notes.js';
import type { Permission, PermissionRules, TurnPermissions } from './permissions.js';
import type { Timing } from './steps.js';
import type { TranscriptRef } from './transcript-ref.js';
import type { TurnUsage, Usage } from './turn.js';
import type { TurnSettings } from './turn-settings.js';

/** Activity types of ours; a tool call's activity type is the tool's name, or `default` for one of an MCP server. */
export const CALL_MODEL = 'holdfast.callModel';
export const RECONCILE_TOOL = 'holdfast.reconcileTool';
export const SEAL_TRANSCRIPT = 'holdfast.sealTranscript';
export const CHECK_ANSWER = 'holdfast.checkAnswer';
export const SUB_AGENT_USAGE = 'holdfast.subAgentUsage';
export const CHECK_SUB_AGENT = 'holdfast.checkSubAgentCall';
export const DEFAULT_ACTIVITY = 'default';
/** Of a remote tool's call: looks at arguments that a person has changed; makes the result of what is no short text. */
export const CHECK_CALL = 'holdfast.checkCall';
export const KEEP_RESULT = 'holdfast.keepResult';

export type CallModelInput = {
  v: 1;
  agent: string;
  version?: string;
  turnId: string;
  /** Which model call of the turn this is, from 0. */
  iteration: number;
  transcript: TranscriptRef;
  model?: string;
  stream: boolean;
  /** The ids of the steering messages that this call is the first to see. */
  steers?: string[];
  /** Messages of Holdfast's own that this call is the first to see. */
  notes?: TurnNote[];
  /** A planning or a closing call: no tool may be called. */
  withoutTools?: true;
  /** The first call of a turn also resolves its settings; `limits` are the turn's own. */
  resolve?: { limits: Limits; isSubAgent?: true; share?: BudgetShare };
  /** The same of the first that is made, where one before it was too long, and has settled all that. */
  opens?: CallModelInput['resolve'];
  /** As the first call has settled it. */
  mcp?: McpSettings;
  /** The call whose last message asks for the turn's output, or for a better answer. */
  outputRequest?: OutputRequest;
  /** The turn's own, in place of those that the model was made with. */
  modelOptions?: ModelOptions;
  /** What the turn itself says of them, and people since its start. */
  permissions?: TurnPermissions;
  /** Of a sub-agent's turn: what its callers say of them. */
  above?: PermissionRules;
  metadata?: JsonObject;
  /** Where the messages are too long, the turn wants to hear of that in a {@link TooLongReply}: it compacts them. */
  compacts?: true;
  /** Where a plan comes to nothing, the turn wants to hear of that in a {@link NoPlanReply}; or that none is to be made. */
  plan?: 'optional' | 'none';
};

/**
 * Why the last reply was not the turn's answer, a line each. Without a `kind` JSON is asked for, and no tool may be called;
 * `call`: it is to be given by the tool for it; `refused`: a check of the agent's has refused it.
 */
export type OutputRequest = { problems: string[]; kind?: 'call' | 'refused' };

/** What is to be done with one tool call, in request order. A bad call is answered here and costs no activity. */
export type PlannedCall =
  | {
      do: 'run';
      callId: string;
      name: string;
      /** A short form of it where there is an artifact. */
      input: Json;
      /** Where the arguments' whole JSON text is kept. */
      inputArtifact?: ArtifactRef;
      summary: string;
      /** The names of artifacts in it. */
      artifacts?: string[];
      /** Calls of one reply that have the same one run one after another. */
      concurrencyKey?: string;
      /** Absent where nobody has set up permissions: it runs. */
      permission?: Permission;
      /** `input` is not what the model wrote. */
      changedBy?: 'hook';
    }
  /** A person is to answer it. */
  | { do: 'question'; callId: string; name: string; question: string; choices?: string[]; summary: string }
  /** The turn sleeps until then, ISO 8601. */
  | { do: 'sleep'; callId: string; name: string; until: string; summary: string }
  /** It gives the turn's answer, and is the only call of its reply. */
  | { do: 'final'; callId: string; name: string; answer: Json }
  | {
      do: 'answer';
      callId: string;
      name: string;
      result: ToolResultBlock;
      /** It is the result once a person has approved the call. */
      asks?: { input: Json; summary: string; permission: Permission };
    };

/** A planning call that was answered by nothing: the turn goes on without a plan. */
export type NoPlanReply = Timing & {
  v: 1;
  noPlan: true;
  attempt?: number;
  spent?: TurnUsage;
  /** As in a reply: of the first call of a turn. */
  settings?: TurnSettings;
  instructions?: string;
};

export type ModelReply = Timing & {
  v: 1;
  /** Which try it was, from 1; older workers don't say. */
  attempt?: number;
  message: AssistantMessage;
  calls: PlannedCall[];
  usage?: Usage;
  /** Of the tries before, which came to nothing. */
  spent?: TurnUsage;
  /** Of a reply without calls, where the agent has an output: whether it is one. */
  output?: { ok: true; value: Json } | { ok: false; problems: string[] };
  /** What the call itself has put before its reply: the first one of an agent that plans asks for the plan. */
  note?: TurnNote;
  /** In the first reply of a turn. */
  settings?: TurnSettings;
  /** In the first reply, where the agent's own are worked out for each turn: the turn keeps them. */
  instructions?: string;
  /** What hooks did around the model call and in its plan. */
  hooks?: HookRecord[];
};

export type RunToolInput = {
  v: 1;
  /** The most UTF-8 bytes of its result that the model is given, where that is less than usual. */
  maxResultBytes?: number;
  /** Of the images of its result together, in bytes of base64; the rest is kept as an artifact. */
  maxImageBytes?: number;
  agent: string;
  version: string;
  turnId: string;
  iteration: number;
  tool: string;
  callId: string;
  input: Json;
  /** As in {@link PlannedCall}: read it in place of `input`. */
  inputArtifact?: ArtifactRef;
  /** What the names of artifacts in `input` mean. */
  artifacts?: NamedArtifact[];
  /** Of a tool of an MCP server, with what the turn was settled with. */
  mcp?: McpPlace & { idempotent: boolean; timeoutMs: number };
  /** A person has put this `input` in the place of what the model wrote. */
  changed?: true;
  /** Within the workflow task, before this activity. */
  triesBefore?: number;
  /** As in {@link PlannedCall}; a person may have changed it once more. */
  changedBy?: 'hook';
  /** As in {@link CallModelInput}. */
  above?: PermissionRules;
  metadata?: JsonObject;
};

/** Asks for the messages of a transcript as segments: those from `from` on are not in `segments` yet. */
export type SealTranscriptInput = {
  v: 1;
  transcript: TranscriptRef;
  from: number;
  segments: TranscriptSegment[];
  /** Segments that take more than this together go into the artifact store. */
  inlineBytes: number;
};

export type SealedTranscript = { v: 1; segments: TranscriptSegment[] };

/** Asks the agent's checks whether an answer may end the turn. `transcript`: with the reply that gives it. */
export type CheckAnswerInput = {
  v: 1;
  agent: string;
  version: string;
  turnId: string;
  iteration: number;
  /** Of the call that gives it, where it is one. */
  callId?: string;
  answer: Json;
  transcript: TranscriptRef;
  metadata?: JsonObject;
};

/** `problem`: why not, for the model. */
export type CheckedAnswer = { v: 1; problem?: string };

/** Asks what a sub-agent's turn has cost that ended without a word. */
export type SubAgentUsageInput = { v: 1; workflowId: string };
export type SubAgentUsage = { v: 1; usage: TurnUsage };

/** What an interrupted model call tells, as its result or in its cancellation: all the text that it had streamed. */
export type InterruptedReply = Timing & {
  v: 1;
  interrupted: true;
  text: string;
  spent?: TurnUsage;
  attempt?: number;
};

/** `startedAt`: ISO 8601; how long the tool took is in its result. `attempt`: which try gave it, if not the first. */
export type RunToolResult = {
  v: 1;
  result: ToolResultBlock;
  startedAt?: string;
  attempt?: number;
  /** What hooks did after it. */
  hooks?: HookRecord[];
};

/** A person's own arguments as they are to run, or why they are not to. */
export type CheckedCall = { v: 1; input: Json } | RunToolResult;

/** `returned`: what a remote tool's activity gave. */
export type KeepResultInput = RunToolInput & { returned: Json };
