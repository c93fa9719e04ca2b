import type { ToolResultBlock } from './messages.js';
import type { PersonRequest } from './people.js';
import type { TurnOutcome } from './turn.js';
import type { TurnUsage } from './usage.js';

export type CallStatus =
  | 'waiting'
  | 'needs_approval'
  | 'needs_answer'
  | 'running'
  | 'sleeping'
  | ToolResultBlock['status'];

export type PendingCall = {
  id: string;
  name: string;
  status: CallStatus;
  subAgent?: { turnId: string };
  /** Of one that sleeps, ISO 8601. */
  until?: string;
};

/** The answer to the `state` query: everything about a running turn except its messages. */
export type TurnState = {
  v: 1;
  turnId: string;
  agent: string;
  version?: string;
  phase: 'model' | 'tools' | 'ended';
  /** Model calls that answered so far. */
  iteration: number;
  /** Calls that have no result yet, in request order. */
  pendingCalls: PendingCall[];
  /** What people are to approve or to answer, in request order; absent where that is nothing. */
  waitingFor?: PersonRequest[];
  /** Messages in the transcript, and how many of them this turn added. */
  messageCount: number;
  deltaCount: number;
  usage: TurnUsage;
  /** What the next model call sends, about; absent before the first reply. `window`: the model's, where it is known. */
  context?: { tokens: number; window?: number; compactions: number; compacting?: true };
  outcome?: TurnOutcome['type'];
};
