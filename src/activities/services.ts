import type { Artifacts } from '../artifacts/artifacts.js';
import type { Agent } from '../define/define-agent.js';
import type { CatalogTool } from '../mcp/catalog.js';
import type { McpConnections } from '../mcp/connections.js';
import type { Model } from '../shared/model-port.js';
import type { Agents } from './agents.js';
import type { Interrupts } from './interrupts.js';
import type { Recent } from './recent.js';
import type { ToolSetups } from './tool-setups.js';
import type { TranscriptReader } from './transcript-reader.js';

/** What the activities of one worker share. */
export type ActivityServices = {
  agents: Agents;
  modelFor(agent: Agent): Model;
  transcripts: TranscriptReader;
  artifacts: Artifacts;
  interrupts: Interrupts;
  mcp: McpConnections;
  setups: ToolSetups;
  /** What turns were settled with, by the hash of the artifact. */
  catalogs: Recent<readonly CatalogTool[]>;
  /** The worker has been told to shut down and lets running activities finish. */
  isDraining(): boolean;
};
