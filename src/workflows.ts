// For workflows of one's own: it loads nothing that the workflow sandbox refuses.
export type { Message } from './shared/messages.js';
export type { PromptPart } from './shared/prompt-parts.js';
export type { TurnUsage } from './shared/turn.js';
export { type RunTurnOptions, runTurn, type TurnResult } from './workflows/run-turn.js';
