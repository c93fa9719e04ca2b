import type { InjectedSinks } from '@temporalio/worker';
import type { Interrupts } from '../activities/interrupts.js';
import type { TranscriptCache } from '../activities/transcript-cache.js';
import type { TranscriptSink, WakeSink } from '../shared/sink-calls.js';

type HoldfastSinks = { holdfastTranscript: TranscriptSink; holdfastWake: WakeSink };

/** Where workflows put the messages that they add, and tell of interrupts; in a replay nobody listens. */
export function holdfastSinks(
  cache?: TranscriptCache,
  interrupts?: Interrupts,
): InjectedSinks<HoldfastSinks> {
  return {
    holdfastTranscript: {
      added: {
        callDuringReplay: false,
        fn: ({ firstExecutionRunId }, epoch, from, messages) =>
          cache?.add(firstExecutionRunId, epoch, from, messages),
      },
    },
    holdfastWake: {
      interrupted: { callDuringReplay: false, fn: (_info, runId) => interrupts?.interrupt(runId) },
    },
  };
}
