import type { Client } from '@temporalio/client';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { Agent } from '../define/define-agent.js';
import type { CatalogTool } from '../mcp/catalog.js';
import type { McpConnections } from '../mcp/connections.js';
import type { TranscriptSegment } from '../shared/carried.js';
import type { Message } from '../shared/messages.js';
import type { Model } from '../shared/model-port.js';
import type { EndedTurn } from '../shared/session-activities.js';
import type { Agents } from './agents.js';
import type { Interrupts } from './interrupts.js';
import type { Recent } from './recent.js';
import type { ToolSetups } from './tool-setups.js';
import type { TranscriptReader } from './transcript-reader.js';

/** What the event history tells of a turn that has ended. */
export type TurnLeft = Omit<EndedTurn, 'base' | 'added' | 'artifacts' | 'compacted'> & {
  /** Those that it has added. */
  messages: Message[];
  /** Its whole transcript, where it was compacted. */
  compacted?: readonly Message[];
};

/**
 * Reads it; `running` where the turn has not ended, `gone` where Temporal does not know it any more. `readSegment`: for what it
 * has packed.
 */
export type ReadTurn = (
  client: Client,
  turnId: string,
  readSegment: (segment: TranscriptSegment) => Promise<Message[] | undefined>,
) => Promise<TurnLeft | 'running' | 'gone'>;

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
  readTurn: ReadTurn;
  /** The worker has been told to shut down and lets running activities finish. */
  isDraining(): boolean;
};
