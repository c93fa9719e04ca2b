// What an agent's author needs: agents, tools, and a model other than the environment's.
export { fallback } from './activities/fallback.js';
export { limit } from './activities/limit.js';
export { openai } from './activities/openai/openai.js';
export type { OpenAiOptions } from './activities/openai/options.js';
export type { Price, Prices } from './activities/openai/prices.js';
export type { AnswerCheck, AnswerCheckContext } from './define/answer-checks.js';
export {
  type Artifact,
  type ArtifactOptions,
  artifact,
  artifactInput,
  type ReturnedArtifact,
} from './define/artifact.js';
export { askUser } from './define/ask-user.js';
export type { CompactionOptions } from './define/compaction.js';
export {
  type Agent,
  type AgentOptions,
  type AnyAgent,
  type AnyTool,
  defineAgent,
  type InstructionsFunction,
  type InstructionsInput,
} from './define/define-agent.js';
export {
  defineTool,
  notDone,
  type SetupContext,
  type Tool,
  type ToolContext,
  type ToolOptions,
} from './define/define-tool.js';
export type {
  HookContext,
  Hooks,
  ModelCallAhead,
  ModelCallChange,
  ModelCallDone,
  ToolCallAhead,
  ToolCallDecision,
  ToolCallDone,
  ToolResultChange,
} from './define/hooks.js';
export type { InstructionFile } from './define/instruction-files.js';
export {
  type McpAddress,
  type McpCommand,
  type McpOptions,
  type McpServer,
  type McpToolInfo,
  mcpServer,
} from './define/mcp-server.js';
export { type McpServersOptions, mcpServers } from './define/mcp-servers-json.js';
export type { PermissionOptions } from './define/permissions.js';
export { type RemoteToolOptions, remoteTool } from './define/remote-tool.js';
export { retryable } from './define/retryable.js';
export { sleepUntil } from './define/sleep-until.js';
export type { RetryOptions } from './define/tool-retry.js';
export { type CommandHooksOptions, commandHooks } from './hooks/command-hooks.js';
export type { Duration } from './shared/duration.js';
export type { HookedTurn, HookRecord } from './shared/hooks.js';
export type { PermissionMode, Policy } from './shared/permissions.js';
export type { RemoteCall } from './shared/remote-tools.js';
