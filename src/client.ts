// Everything that a program which starts and watches turns needs; it loads no worker, no tool and no model.
export {
  AgentClient,
  type AgentClientOptions,
  type StartOptions,
} from './client/agent-client.js';
export {
  SessionClosed,
  SessionLimitReached,
  SessionNotFound,
  TurnConflict,
  TurnFailed,
  TurnNotFound,
} from './client/errors.js';
export type { FinishedTurn } from './client/finished-turn.js';
export type { SessionEvent } from './client/session-events.js';
export type { SessionHandle } from './client/session-handle.js';
export type { SendOptions, SessionOptions } from './client/session-options.js';
export type { CompactSessionOptions } from './client/session-signals.js';
export type { SessionTurnHandle } from './client/session-turn-handle.js';
export type {
  ApproveOptions,
  CompactOptions,
  DenyOptions,
  MessageOptions,
  SentMessage,
  TurnHandle,
} from './client/turn-handle.js';
export type { OpenRequest, WaitingTurn } from './client/waiting.js';
export type { AgentType } from './shared/agent-type.js';
export type { CompactionRecord } from './shared/compaction/settings.js';
export type { CutPlace } from './shared/cut-transcript.js';
export type { TurnEvent } from './shared/events.js';
export type { HookRecord } from './shared/hooks.js';
export type { Intervention, Receipt, SteerMessage } from './shared/interventions.js';
export type { Json, JsonObject } from './shared/json.js';
export type { Message, StopReason, ToolCallBlock, ToolResultBlock } from './shared/messages.js';
export type { ModelOptions } from './shared/model-options.js';
export type { PersonDecision, PersonRequest } from './shared/people.js';
export type { PermissionMode } from './shared/permissions.js';
export type { PromptPart } from './shared/prompt-parts.js';
export type { SessionState, SessionTurn } from './shared/session.js';
export type { SessionLimits, SessionLimitsChange } from './shared/session-limits.js';
export type {
  SendReceipt,
  SessionCompactReceipt,
  WhileBusy,
  WithdrawReceipt,
} from './shared/session-requests.js';
export type { ToolCallStep, TurnStep } from './shared/steps.js';
export type { Limits, OutcomeType, TurnOutcome, TurnState, TurnUsage, Usage } from './shared/turn.js';
export type { TurnInput } from './shared/turn-input.js';
