import { proxySinks, type Sinks } from '@temporalio/workflow';
import type { Message } from '../shared/messages.js';
import type { TranscriptSink, WakeSink } from '../shared/sink-calls.js';

// Calls from the workflow to its own worker's process. They leave nothing in the history and are skipped in a replay.

interface HoldfastSinks extends Sinks {
  holdfastTranscript: TranscriptSink;
  holdfastWake: WakeSink;
}

const { holdfastTranscript, holdfastWake } = proxySinks<HoldfastSinks>();

/** Hands new messages to the worker's cache. */
export function cacheMessages(epoch: number, from: number, messages: Message[]): void {
  holdfastTranscript.added(epoch, from, messages);
}

/** Tells the run's activities in this process of an interrupt, which they would else hear at their next heartbeat. */
export function wakeActivities(runId: string): void {
  holdfastWake.interrupted(runId);
}
