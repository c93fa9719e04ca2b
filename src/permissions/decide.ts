import {
  modeUnder,
  type Permission,
  type PermissionMode,
  type PermissionRules,
  type Policy,
  type TurnPermissions,
} from '../shared/permissions.js';
import type { JudgedCall, JudgedTool } from './judged-call.js';
import { parsedRules, RuledCall } from './matching.js';
import type { Rule } from './rule.js';

/** What an agent allows, asks a person about, and denies. */
export type Permissions = {
  readonly mode: PermissionMode;
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
};

export type Decision = Permission | { policy: 'deny'; why: string };

/**
 * What is to be done with a call: the first of these that speaks of it. Deny rules; the tool's own `deny`; the plan mode;
 * what a person has allowed for the rest of the turn; callers' rules that ask; the mode yolo; rules that ask; rules that
 * allow; the tool's own `approval`; the mode. `above` are the callers' of a sub-agent's turn: what they deny is denied, and
 * where the agent has no permissions of its own, it has theirs. Undefined where nobody has set anything up: then everything
 * runs. Throws what the tool's `approval` throws.
 */
export async function decide(
  call: JudgedCall,
  permissions: Permissions | undefined,
  turn: TurnPermissions = {},
  above?: PermissionRules,
): Promise<Decision | undefined> {
  const own = await ownPolicy(call);
  const rules = permissions ?? { allow: parsedRules(above?.allow ?? []), ask: [] };
  const mode = modeUnder(above, turn.mode ?? permissions?.mode);
  const ruled = await RuledCall.of(call);
  const denied = await firstOf(denyRules(permissions, above), ruled);
  if (denied?.match === 'yes') return { policy: 'deny', why: `the rule ${denied.rule.text}` };
  if (own === 'deny') return { policy: 'deny', why: 'its own approval' };
  if (mode === 'plan' && call.tool.effects !== 'none') return { policy: 'deny', why: PLAN_MODE };
  const ask = (why: string): Extract<Permission, { policy: 'ask' }> => ({
    policy: 'ask',
    why,
    always: ruled.alwaysRules(),
  });
  if (denied)
    return { ...ask(`${denied.because}, and the rule ${denied.rule.text} may deny it`), always: [] };
  const granted = await ruled.allowedBy(parsedRules(turn.always ?? []));
  if (granted) return { policy: 'allow', why: `a person said always: ${granted.text}` };
  const askedAbove = await firstOf(parsedRules(above?.ask ?? []), ruled);
  if (askedAbove) return ask(`the rule ${askedAbove.rule.text} of the agent that called`);
  if (mode === 'yolo') return { policy: 'allow', why: 'the mode yolo' };
  const asked = await firstOf(rules.ask, ruled);
  if (asked) return ask(`the rule ${asked.rule.text}`);
  const allowed = await ruled.allowedBy(rules.allow);
  if (allowed) return { policy: 'allow', why: `the rule ${allowed.text}` };
  if (own === 'ask') return ask(`${call.tool.name} asks`);
  if (own === 'allow' || mode === undefined)
    return own && { policy: 'allow', why: `${call.tool.name} allows` };
  return byMode(mode, call.tool) === 'allow'
    ? { policy: 'allow', why: `the mode ${mode}` }
    : ask(`the mode ${mode}`);
}

const PLAN_MODE = 'the mode plan, in which only tools that read are run until a person has approved the plan';

/** Of a call whose arguments a person has changed, and of one that has waited: what no rule may deny. */
export async function deniedNow(
  call: JudgedCall,
  permissions: Permissions | undefined,
  above: PermissionRules | undefined,
): Promise<string | undefined> {
  const rules = denyRules(permissions, above);
  if (rules.length === 0) return undefined;
  const denied = await firstOf(rules, await RuledCall.of(call));
  return denied?.match === 'yes' ? `the rule ${denied.rule.text}` : undefined;
}

function denyRules(permissions: Permissions | undefined, above: PermissionRules | undefined): Rule[] {
  return [...(permissions?.deny ?? []), ...parsedRules(above?.deny ?? [])];
}

async function ownPolicy({ tool, input, args = input }: JudgedCall): Promise<Policy | undefined> {
  const policy: unknown = typeof tool.approval === 'function' ? await tool.approval(args) : tool.approval;
  if (policy === undefined || policy === 'allow' || policy === 'ask' || policy === 'deny') return policy;
  throw new TypeError(`approval must give allow, ask or deny; it gave ${JSON.stringify(policy)}`);
}

function byMode(mode: PermissionMode, { effects }: JudgedTool): Policy {
  if (effects === 'none') return 'allow';
  return effects === 'edits' && mode === 'accept-edits' ? 'allow' : 'ask';
}

type Found = { rule: Rule; match: 'yes' } | { rule: Rule; match: 'maybe'; because: string };

/** The first rule that is about the call, else the first that may be. */
async function firstOf(rules: readonly Rule[], call: RuledCall): Promise<Found | undefined> {
  let maybe: Found | undefined;
  for (const rule of rules) {
    const match = await call.forbidden(rule);
    if (match.is === 'yes') return { rule, match: 'yes' };
    if (match.is === 'maybe') maybe ??= { rule, match: 'maybe', because: match.because };
  }
  return maybe;
}
