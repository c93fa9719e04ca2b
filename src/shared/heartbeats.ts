import type { TurnUsage } from './usage.js';

/** What a model call's heartbeat carries: the end of the text streamed so far. */
export type ModelHeartbeat = {
  v: 1;
  kind: 'model';
  attempt: number;
  /** Characters (UTF-16 units) of this attempt's text that come before `text`. */
  offset: number;
  text: string;
  /** What the next try goes on with: the id of a reply that the provider works on by itself. */
  resume?: string;
  /** For its turn, by limits of the worker's process; ISO 8601, where it is known. */
  waiting?: { untilAt?: string };
  /** What the tries have cost that came to nothing, this one too if it should end here. */
  spent?: TurnUsage;
  /** Of which faults the tries died, by type, as far as it matters: the model is asked once more for some, not oftener. */
  faults?: Record<string, number>;
};

/** What a tool's heartbeat carries: `begun` says that its body may have had effects. */
export type ToolHeartbeat = {
  v: 1;
  kind: 'tool';
  attempt: number;
  begun: boolean;
  startedAt?: string;
  progress?: string;
};
export type Heartbeat = ModelHeartbeat | ToolHeartbeat;
