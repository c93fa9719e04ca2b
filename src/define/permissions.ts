import type { Permissions } from '../permissions/decide.js';
import { isAbout, parseRule, type Rule } from '../permissions/rule.js';
import { FIND_TOOLS } from '../shared/mcp.js';
import { PERMISSION_MODES, type PermissionMode } from '../shared/permissions.js';
import type { AnyTool } from './define-agent.js';
import { namesOf, requireKnown } from './known-options.js';
import type { McpServer } from './mcp-server.js';

/** Rules are `tool`, `tool(pattern)` or `tool(argument: pattern)`; docs/approvals.md has them all. */
export type PermissionOptions = {
  /** What happens to calls that no rule and no tool speaks of; default `default`: a person is asked. */
  mode?: PermissionMode;
  allow?: readonly string[];
  ask?: readonly string[];
  /** Stronger than everything else. */
  deny?: readonly string[];
};

const OPTIONS = namesOf<PermissionOptions>({ mode: true, allow: true, ask: true, deny: true });

type Known = { tools: readonly AnyTool[]; servers: readonly McpServer[] };

/** Throws a TypeError that names the owner and the fault: a rule that can't be read, or one about no tool. */
export function permissionsOf(owner: string, options: PermissionOptions, known: Known): Permissions {
  requireKnown(`${owner}, permissions`, options, OPTIONS, "{ mode: 'plan' }");
  const { mode = 'default', allow = [], ask = [], deny = [] } = options;
  if (!PERMISSION_MODES.includes(mode)) {
    throw new TypeError(`${owner}, permissions.mode: ${mode} is none of ${PERMISSION_MODES.join(', ')}.`);
  }
  const names = namesIn(known);
  const parsed = (rules: readonly string[]) => rules.map((text) => parsedFor(owner, text, names));
  return { mode, allow: parsed(allow), ask: parsed(ask), deny: parsed(deny) };
}

type Names = { tools: Set<string>; servers: Set<string> };

/** Those of sub-agents, too: rules hold in their turns. */
function namesIn({ tools, servers }: Known, names: Names = { tools: new Set(), servers: new Set() }): Names {
  for (const { name } of servers) names.servers.add(name);
  if (servers.length > 0) names.tools.add(FIND_TOOLS);
  for (const { name, agent } of tools) {
    names.tools.add(name);
    if (agent) namesIn(agent, names);
  }
  return names;
}

/** A rule with a misspelled name would never speak up. Names with `__` are of MCP servers, not known before they run. */
function parsedFor(owner: string, text: string, { tools, servers }: Names): Rule {
  const rule = parse(owner, text);
  const [server = '', own] = rule.tool.split(':');
  const isServers =
    own !== undefined && [...servers].some((name) => isAbout({ text, tool: server }, name, false));
  if (isServers || (own === undefined && (rule.tool.includes('*') || rule.tool.includes('__')))) return rule;
  if (own === undefined && [...tools].some((name) => isAbout(rule, name, false))) return rule;
  const list = (names: Set<string>) => [...names].join(', ') || 'none';
  throw new TypeError(
    own === undefined
      ? `${owner}, permissions: the rule ${text} is about none of its tools, which are: ${list(tools)}.`
      : `${owner}, permissions: the rule ${text} is about none of its MCP servers, which are: ${list(servers)}.`,
  );
}

function parse(owner: string, text: string): Rule {
  try {
    return parseRule(text);
  } catch (error) {
    throw new TypeError(`${owner}, permissions: ${error instanceof Error ? error.message : String(error)}`);
  }
}
