import type { ArtifactRef } from './artifacts.js';

/** What a tool's author says of it: hints, which nobody has checked. */
export type ToolAnnotations = {
  /** It changes nothing. */
  readOnlyHint?: boolean;
  /** It may delete or overwrite. */
  destructiveHint?: boolean;
  /** Calling it again with the same arguments changes nothing more. */
  idempotentHint?: boolean;
  /** It reaches beyond the server's own data. */
  openWorldHint?: boolean;
};

/** Where a tool of an MCP server is: the name that the agent gives the server, and the server's own name of the tool. */
export type McpPlace = {
  server: string;
  tool: string;
  /** The server runs it only as a task: begun by one request, and asked after by others. */
  isTask?: true;
};

/**
 * What a turn's tools of MCP servers are, settled in its first model call: their names, descriptions and schemas are
 * kept as the artifact `catalog`. Without it (it could not be kept) the servers are asked again.
 */
export type McpSettings = {
  catalog?: ArtifactRef;
  /** There are so many that a model finds them with `find_tools` instead of being shown all. */
  isSearched?: true;
};

/** The tool with which a model finds others, where there are too many to show. */
export const FIND_TOOLS = 'find_tools';
