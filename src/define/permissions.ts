import type { Permissions } from '../permissions/decide.js';
import { isAbout, parseRule, type Rule } from '../permissions/rule.js';
import { PERMISSION_MODES, type PermissionMode } from '../shared/permissions.js';

/** Rules are `tool`, `tool(pattern)` or `tool(argument: pattern)`; docs/approvals.md has them all. */
export type PermissionOptions = {
  /** What happens to calls that no rule and no tool speaks of; default `default`: a person is asked. */
  mode?: PermissionMode;
  allow?: readonly string[];
  ask?: readonly string[];
  /** Stronger than everything else. */
  deny?: readonly string[];
};

/** Throws a TypeError that names the owner and the fault: a rule that can't be read, or one about no tool. */
export function permissionsOf(
  owner: string,
  { mode = 'default', allow = [], ask = [], deny = [] }: PermissionOptions,
  tools: readonly { name: string }[],
): Permissions {
  if (!PERMISSION_MODES.includes(mode)) {
    throw new TypeError(`${owner}, permissions.mode: ${mode} is none of ${PERMISSION_MODES.join(', ')}.`);
  }
  const parsed = (rules: readonly string[]) => rules.map((text) => parsedFor(owner, text, tools));
  return { mode, allow: parsed(allow), ask: parsed(ask), deny: parsed(deny) };
}

/** A rule with a misspelled name would never speak up. Names with `__` are of MCP servers, not known before they run. */
function parsedFor(owner: string, text: string, tools: readonly { name: string }[]): Rule {
  const rule = parse(owner, text);
  const isKnown = tools.some(({ name }) => isAbout(rule, name, false));
  if (isKnown || rule.tool.includes('*') || rule.tool.includes('__')) return rule;
  const names = tools.map(({ name }) => name).join(', ') || 'none';
  throw new TypeError(
    `${owner}, permissions: the rule ${text} is about none of its tools, which are: ${names}.`,
  );
}

function parse(owner: string, text: string): Rule {
  try {
    return parseRule(text);
  } catch (error) {
    throw new TypeError(`${owner}, permissions: ${error instanceof Error ? error.message : String(error)}`);
  }
}
