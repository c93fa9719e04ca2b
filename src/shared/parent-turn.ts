import { PERMISSION_MODES, type PermissionRules } from './permissions.js';
import { isListOf, isNonEmptyText, isOneOf, isShape, isText, isWholeNumber } from './shape.js';

/** Of a sub-agent's turn: who called it; of a session's turn: the session. */
export type ParentTurn = {
  workflowId: string;
  callId: string;
  /** The most UTF-8 bytes of its answer that the parent's model is given. */
  maxResultBytes: number;
  /** What the callers, all the way up, allow and deny. */
  permissions?: PermissionRules;
  /** It is a session, whose turns are nobody's sub-agents. */
  isSession?: true;
};

const isRules = isListOf(isText);

export const isParentTurn = isShape(
  {
    workflowId: isNonEmptyText,
    callId: isNonEmptyText,
    maxResultBytes: isWholeNumber(1000, 1_000_000),
  },
  {
    permissions: isShape({
      mode: isOneOf(...PERMISSION_MODES),
      allow: isRules,
      ask: isRules,
      deny: isRules,
    }),
    isSession: isOneOf(true),
  },
);

/** Of sub-agents within sub-agents. */
export const MAX_DEPTH = 20;
