import { isJsonObject, type Json, type JsonObject } from '../shared/json.js';
import type { McpPlace } from '../shared/mcp.js';
import type { Policy } from '../shared/permissions.js';

/** What a rule's pattern is about, where it is more than text. */
export type Subject =
  | { argument: string; as: 'command' }
  | {
      argument: string;
      as: 'path';
      /** The path that it really is, all links followed, relative to the workspace. Throws for one that is outside. */
      resolve(path: string): Promise<string>;
    };

/** What a tool's calls may do: `none`, it only reads; `edits`, it changes files of the workspace; `any`. */
export type Effects = 'none' | 'edits' | 'any';

/** Of a tool, what permissions look at. */
export type JudgedTool = {
  readonly name: string;
  /** Default `any`. */
  readonly effects?: Effects;
  readonly subject?: Subject;
  // biome-ignore lint/suspicious/noExplicitAny: tools with different arguments have no other common type.
  readonly approval?: Policy | ((args: any) => Policy | Promise<Policy>);
  readonly schema: JsonObject;
  readonly mcp?: Pick<McpPlace, 'server' | 'tool'>;
};

/**
 * The names that a rule which allows may mean it by: the model's, and `server:tool` of an MCP server, which no other tool
 * can have.
 */
export function exactNamesOf({ name, mcp }: JudgedTool): string[] {
  return mcp ? [name, `${mcp.server}:${mcp.tool}`] : [name];
}

/** All names that any other rule may mean it by: a server must not escape one by listing a second tool like it. */
export function namesOf(tool: JudgedTool): string[] {
  const { mcp } = tool;
  if (!mcp) return exactNamesOf(tool);
  const own = `${mcp.server}__${mcp.tool}`;
  return [...exactNamesOf(tool), own, own.replace(/[^a-zA-Z0-9_-]/g, '_')];
}

/** One call: its arguments as JSON, and as the tool's schema reads them. */
export type JudgedCall = { tool: JudgedTool; input: JsonObject; args?: unknown };

export function subjectText({ tool: { subject }, input }: JudgedCall): string | undefined {
  const value = subject && input[subject.argument];
  return typeof value === 'string' ? value : undefined;
}

/**
 * The argument that a call is about, by custom the first of the tool's schema that is a text or a number. The order in
 * which a model writes them says nothing: it could put another one before it.
 */
export function firstText(input: JsonObject, names: readonly string[]): string | undefined {
  const known = names.filter((name) => Object.hasOwn(input, name)).map((name) => input[name]);
  const value = [...known, ...Object.values(input)].find(
    (each) => typeof each === 'string' || typeof each === 'number',
  );
  return value === undefined ? undefined : String(value);
}

/** Every text and number in it, at any depth; the names of fields too. */
export function textsIn(value: Json, found: string[] = []): string[] {
  if (typeof value === 'string') found.push(value);
  else if (typeof value === 'number') found.push(String(value));
  else if (Array.isArray(value)) for (const each of value) textsIn(each, found);
  else if (isJsonObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      found.push(name);
      textsIn(each, found);
    }
  }
  return found;
}

export function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
