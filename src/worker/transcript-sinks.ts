import type { InjectedSinks } from '@temporalio/worker';
import type { TranscriptCache } from '../activities/transcript-cache.js';
import type { TranscriptSink } from '../shared/activities.js';

/** Where workflows put the messages that they add; without a cache (a replay) they are dropped. */
export function transcriptSinks(
  cache?: TranscriptCache,
): InjectedSinks<{ holdfastTranscript: TranscriptSink }> {
  return {
    holdfastTranscript: {
      added: {
        callDuringReplay: false,
        fn: ({ runId }, epoch, from, messages) => cache?.add(runId, epoch, from, messages),
      },
    },
  };
}
