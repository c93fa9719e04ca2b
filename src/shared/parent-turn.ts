import { isNonEmptyText, isShape, isWholeNumber } from './shape.js';

/** Of a sub-agent's turn: who called it. */
export type ParentTurn = {
  workflowId: string;
  callId: string;
  /** The most UTF-8 bytes of its answer that the parent's model is given. */
  maxResultBytes: number;
};

export const isParentTurn = isShape({
  workflowId: isNonEmptyText,
  callId: isNonEmptyText,
  maxResultBytes: isWholeNumber(1000, 1_000_000),
});

/** Of sub-agents within sub-agents. */
export const MAX_DEPTH = 20;
