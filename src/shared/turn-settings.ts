import type { CompactionSettings } from './compaction/settings.js';
import type { HookSettings } from './hooks.js';
import type { JsonObject } from './json.js';
import type { Budget } from './limits.js';
import type { LoopGuard } from './loop-guard.js';
import type { McpPlace, McpSettings, ToolAnnotations } from './mcp.js';
import type { PermissionRules } from './permissions.js';
import type { RemotePlace } from './remote-tools.js';

/** What a turn runs with: resolved once, in its first model call, and recorded in that call's result. */
export type TurnSettings = {
  agent: string;
  version: string;
  model: string;
  /** `depth`: where it has sub-agents. */
  limits: { iterations: number; depth?: number } & Budget;
  /** Absent where it is turned off. */
  loopGuard?: LoopGuard;
  /** At the limit of iterations one more call is made, without tools, for an answer. */
  closing?: 'answer';
  /** That answer is asked for as the agent's output, and may be it. */
  closesWithOutput?: true;
  /** The first model call makes a plan, and then one before each `every` others. */
  planning?: { every?: number };
  /** The most tool calls of one reply that run side by side. */
  maxParallelTools: number;
  /** Replies in a row that the output limit may cut before the turn ends as `truncated`. */
  maxTruncatedReplies: number;
  /** After an interrupt, tools that have not ended by then are settled without them. Milliseconds. */
  settleMs: number;
  /** A turn's messages that take more bytes than this are not in its result but are read by query. */
  inlineResultBytes: number;
  /** Between the tries of a tool that may be tried again: the first wait and the longest, milliseconds. */
  toolRetry: { initialMs: number; maxMs: number };
  /** Of the results of one reply's calls together, in UTF-8 bytes: they are one message, which a query must carry. */
  roundResultBytes?: number;
  /** Of the images in them, in bytes of base64. */
  roundImageBytes?: number;
  /** How often a tool call that had not begun when its worker died is started anew. */
  maxRestarts: number;
  /**
   * When the turn goes on in a new run of its workflow: when Temporal suggests it, or after so many model calls. A
   * transcript of up to `plainBytes` of JSON is passed on as it is; else it is packed, and goes into the artifact store
   * where it takes more than `packedBytes`. Where packing fails, it is tried again after `retryAfter` model calls. A
   * turn that was started without this stays in one run.
   */
  continueAsNew?: { iterations?: number; plainBytes: number; packedBytes: number; retryAfter: number };
  /** The oldest rounds are dropped from a transcript that takes more JSON than this. */
  maxContextBytes?: number;
  /** A turn that was started without it is never compacted. */
  compaction?: CompactionSettings;
  /** What nobody decides in that time is denied. Without it, it waits. */
  approvalTimeoutMs?: number;
  /** The agent's own, where it has sub-agents, in whose turns they hold. */
  permissions?: PermissionRules;
  /** What the turn's last reply must be: JSON of this schema, which is asked for `maxAsks` times beyond the first. */
  output?: { schema: JsonObject; maxAsks: number };
  /** Of an agent with hooks that are called outside a model call. */
  hooks?: HookSettings;
  /** The answer is given by a tool, which is asked for as often; `isOutput`: what it is given is the turn's output. */
  finalAnswer?: { maxAsks: number; isOutput?: boolean };
  /** The agent has checks of its answer. */
  checksAnswer?: boolean;
  tools: ToolSettings[];
  /** Of an agent with MCP servers. */
  mcp?: McpSettings;
};

export type ToolSettings = {
  name: string;
  /** May run again after a crash. */
  idempotent: boolean;
  /** May run beside other calls of the same reply. */
  parallel: boolean;
  /** Start to close, milliseconds. */
  timeoutMs: number;
  heartbeatTimeoutMs: number;
  /** How often Temporal may start it when it asks for a retry or, if idempotent, when its worker died. */
  maxAttempts: number;
  /** Between its tries, where the tool says so itself; milliseconds. */
  retry?: { initialMs: number; maxMs: number };
  /** Whether it can tell, after a crash, what happened. */
  reconciles: boolean;
  /** Making the same call again and again is what it is for. */
  repeatable?: true;
  /** Of the schema that its arguments are checked with. */
  schemaHash: string;
  /** The tool is a sub-agent: a call of it is a turn of this agent. */
  agent?: { name: string; version: string };
  /** Of a tool of an MCP server, which runs as the activity `default`. */
  mcp?: McpPlace;
  /** What the server says of it, where that counts. */
  annotations?: ToolAnnotations;
  /** Another worker runs it, as an activity of its own. */
  remote?: RemotePlace;
  /** It runs as a local activity: idempotent, and a second at most. */
  local?: true;
};
