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

/** An agent's rules as they were written, and the mode that its turn is in. */
export type PermissionRules = { mode: PermissionMode; allow: string[]; ask: string[]; deny: string[] };

/**
 * What holds in the turn of a sub-agent of whatever its callers say: `above` holds in the caller itself, `own` are the
 * caller's rules, `mode` is the one that its turn was started in or people have changed it to. What denies and asks adds
 * up on the way down, and nothing further down takes the mode `plan` back.
 */
export function rulesBelow(
  own: PermissionRules | undefined,
  mode: PermissionMode | undefined,
  above: PermissionRules | undefined,
): PermissionRules | undefined {
  const now = modeUnder(above, mode ?? own?.mode);
  if (now === undefined) return undefined;
  // In the mode yolo an agent's own rules that ask say nothing.
  const asking = now === 'yolo' ? [] : (own?.ask ?? []);
  return {
    mode: now,
    allow: own?.allow ?? above?.allow ?? [],
    ask: [...asking, ...(above?.ask ?? [])],
    deny: [...(own?.deny ?? []), ...(above?.deny ?? [])],
  };
}

/** The mode of a turn: its own, or where it has none its caller's; but `plan` of a caller stays. */
export function modeUnder(
  above: PermissionRules | undefined,
  own: PermissionMode | undefined,
): PermissionMode | undefined {
  return above?.mode === 'plan' ? 'plan' : (own ?? above?.mode);
}

/** What people have decided so far for the rest of the turn. */
export type TurnPermissions = {
  /** In place of the agent's own. */
  mode?: PermissionMode;
  /** Rules that a person has added by "always". */
  always?: string[];
};

/** What the model is offered in the mode `plan`; no tool of anybody else has that name. */
export const PRESENT_PLAN = 'present_plan';
