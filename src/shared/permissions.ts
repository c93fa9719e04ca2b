/** What is to be done with a tool call before it may run. `ask`: a person decides. */
export type Policy = 'allow' | 'ask' | 'deny';

/**
 * What happens to calls that no rule speaks of. `default`: tools that only read run, a person is asked for any other.
 * `accept-edits`: those that edit files of the workspace run, too. `plan`: only tools that read, until a person has
 * approved a plan. `yolo`: everything that no rule denies.
 */
export const PERMISSION_MODES = ['default', 'accept-edits', 'plan', 'yolo'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** What was decided of a call when it was planned, and by what. */
export type Permission =
  | { policy: 'allow'; why: string }
  | {
      policy: 'ask';
      why: string;
      /** The rules that "always" would add for the rest of the turn; none where it can't be said in rules. */
      always: string[];
      /** What approving it changes: an approved plan ends the `plan` mode. */
      mode?: PermissionMode;
    };

/** What people have decided so far for the rest of the turn. */
export type TurnPermissions = {
  /** In place of the agent's own. */
  mode?: PermissionMode;
  /** Rules that a person has added by "always". */
  always?: string[];
};

/** What the model is offered in the mode `plan`; no tool of anybody else has that name. */
export const PRESENT_PLAN = 'present_plan';
