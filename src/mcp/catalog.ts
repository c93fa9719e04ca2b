import type { McpServer, McpToolInfo } from '../define/mcp-server.js';
import { isJsonObject, type Json, type JsonObject, jsonBytes } from '../shared/json.js';
import type { ToolAnnotations } from '../shared/mcp.js';
import type { ListedTool } from './session.js';
import { toolNames } from './tool-names.js';

/** One tool of a server, as a turn is settled with it. */
export type CatalogTool = {
  /** As the model sees it: of all tools of the turn no other has it. */
  name: string;
  server: string;
  /** The server's own name of it. */
  tool: string;
  description: string;
  schema: JsonObject;
  annotations: ToolAnnotations;
  isTask?: true;
};

const MAX_DESCRIPTION_CHARACTERS = 4000;
const MAX_SCHEMA_BYTES = 100_000;
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** What an agent has of its servers' tools; `own` are the names of its other tools. `leftOut` says what could not be used. */
export function catalogOf(
  listed: readonly { server: McpServer; tools: readonly ListedTool[] }[],
  own: ReadonlySet<string>,
  leftOut: (text: string) => void,
): CatalogTool[] {
  const chosen = listed.flatMap(({ server, tools }) =>
    unique(tools).flatMap((tool) => {
      const { hasTool, name, trustAnnotations } = server;
      const info = infoOf(tool);
      if (!hasTool(info)) return [];
      const schema = schemaOf(tool['inputSchema']);
      if (jsonBytes(schema) > MAX_SCHEMA_BYTES) {
        leftOut(
          `The MCP server ${name} has a tool ${tool.name} with a schema of more than ${MAX_SCHEMA_BYTES} bytes.`,
        );
        return [];
      }
      const annotations = trustAnnotations ? info.annotations : {};
      return [{ server: name, tool: tool.name, ...info, schema, annotations, ...taskOf(tool) }];
    }),
  );
  const names = toolNames(chosen, own);
  return chosen.map((tool, index) => ({ ...tool, name: names[index] ?? tool.name }));
}

/** A server that lists a name twice can only mean one tool by it. */
function unique(tools: readonly ListedTool[]): ListedTool[] {
  return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
}

function infoOf(tool: ListedTool): McpToolInfo {
  const { description, title, annotations } = tool;
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  const short =
    text.length > MAX_DESCRIPTION_CHARACTERS ? `${text.slice(0, MAX_DESCRIPTION_CHARACTERS)}…` : text;
  const hints = isJsonObject(annotations) ? annotations : {};
  return {
    name: tool.name,
    description: short.toWellFormed(),
    annotations: Object.fromEntries(
      HINTS.flatMap((hint) => (typeof hints[hint] === 'boolean' ? [[hint, hints[hint]]] : [])),
    ),
  };
}

/** Providers refuse an object that does not say its type and its fields. */
function schemaOf(schema: Json | undefined): JsonObject {
  const { $schema, ...rest } = isJsonObject(schema) ? schema : {};
  const properties = isJsonObject(rest['properties']) ? rest['properties'] : {};
  return { ...rest, type: 'object', properties };
}

function taskOf({ execution }: ListedTool): { isTask?: true } {
  return isJsonObject(execution) && execution['taskSupport'] === 'required' ? { isTask: true } : {};
}

/** What was kept of a catalog, by a worker of this version or an earlier one. */
export function isCatalog(value: unknown): value is { v: 1; tools: CatalogTool[] } {
  return isJsonObject(value) && value['v'] === 1 && Array.isArray(value['tools']);
}
