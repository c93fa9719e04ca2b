import { once } from 'node:events';
import { CancelledFailure, Context } from '@temporalio/activity';
import type { SealedTranscript, SealTranscriptInput } from '../shared/activities.js';
import { beatWhile } from './heartbeats.js';
import type { ActivityServices } from './services.js';
import { packTranscript } from './transcript-segments.js';

/**
 * Packs a transcript for the turn's next run: see `continueInNextRun` in the workflow. An interrupt or the worker's
 * shutdown don't wait for a store that hangs.
 */
export async function sealTranscript(
  { transcripts, artifacts, interrupts }: ActivityServices,
  input: SealTranscriptInput,
): Promise<SealedTranscript> {
  const context = Context.current();
  const pack = async (): Promise<SealedTranscript> => {
    const messages = await transcripts.read(input.transcript);
    const segments = await packTranscript(messages, input.segments, input.inlineBytes, artifacts);
    return { v: 1, segments };
  };
  return await interrupts.during(context, async (interrupted) => {
    const stopped = once(interrupted, 'abort').then(() => {
      throw new CancelledFailure('The turn was interrupted');
    });
    return await beatWhile(context, { details: () => undefined }, () =>
      Promise.race([pack(), stopped, context.cancelled]),
    );
  });
}
