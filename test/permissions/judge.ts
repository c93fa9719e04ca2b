import { type Decision, decide, type Permissions } from '../../src/permissions/decide.js';
import type { JudgedTool } from '../../src/permissions/judged-call.js';
import { parsedRules } from '../../src/permissions/matching.js';
import type { JsonObject } from '../../src/shared/json.js';
import type { PermissionMode, TurnPermissions } from '../../src/shared/permissions.js';

type Rules = {
  mode?: PermissionMode;
  allow?: string[];
  ask?: string[];
  deny?: string[];
  turn?: TurnPermissions;
};

const schema: JsonObject = {
  type: 'object',
  properties: { command: {}, path: {}, query: {}, limit: {} },
};
export const bash: JudgedTool = {
  name: 'bash',
  effects: 'any',
  subject: { argument: 'command', as: 'command' },
  schema,
};
/** Its links: `link` leads to `secrets`. */
export const writeFile: JudgedTool = {
  name: 'write_file',
  effects: 'edits',
  subject: {
    argument: 'path',
    as: 'path',
    resolve: async (path) => {
      const parts = path.split('/').filter((part) => part !== '.' && part !== '');
      if (parts.includes('..')) throw new Error('outside');
      return parts.map((part) => (part === 'link' ? 'secrets' : part)).join('/');
    },
  },
  schema,
};
export const readFile: JudgedTool = { ...writeFile, name: 'read_file', effects: 'none' };
export const search: JudgedTool = { name: 'mcp__docs__search', effects: 'any', schema };

export async function judge(
  tool: JudgedTool,
  input: JsonObject,
  rules: Rules,
): Promise<Decision['policy'] | undefined> {
  const { mode = 'default', allow = [], ask = [], deny = [], turn } = rules;
  const permissions: Permissions = {
    mode,
    allow: parsedRules(allow),
    ask: parsedRules(ask),
    deny: parsedRules(deny),
  };
  return (await decide({ tool, input }, permissions, turn))?.policy;
}

/** What "always" would allow after this command. */
export async function alwaysOf(command: string): Promise<string[]> {
  const decision = await decide(
    { tool: bash, input: { command } },
    { mode: 'default', allow: [], ask: [], deny: [] },
  );
  return decision?.policy === 'ask' ? decision.always : [];
}

export const run = (command: string, rules: Rules) => judge(bash, { command }, rules);
export const write = (path: string, rules: Rules) => judge(writeFile, { path, content: '' }, rules);
