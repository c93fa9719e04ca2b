import type { Message } from './messages.js';

/** Calls from the workflow to its own worker's process: they leave no trace in the history. */
export type TranscriptSink = {
  /** Messages `from` onwards of this run's transcript, just added. */
  added(epoch: number, from: number, messages: Message[]): void;
};

export type WakeSink = {
  /** The run was interrupted: its activities are to stop. */
  interrupted(runId: string): void;
};
