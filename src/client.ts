// Everything that a program which starts and watches turns needs; it loads no worker, no tool and no model.
export { AgentClient, type AgentClientOptions, type StartOptions } from './client/agent-client.js';
export { TurnConflict, TurnFailed, TurnNotFound } from './client/errors.js';
export type { FinishedTurn, MessageOptions, SentMessage, TurnHandle } from './client/turn-handle.js';
export type { TurnEvent } from './shared/events.js';
export type { Intervention, Receipt, SteerMessage } from './shared/interventions.js';
export type { Message } from './shared/messages.js';
export type { PromptPart } from './shared/prompt-parts.js';
export type { ToolCallStep, TurnStep } from './shared/steps.js';
export type { TurnOutcome, TurnState, TurnUsage } from './shared/turn.js';
