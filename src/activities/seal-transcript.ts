import { Context } from '@temporalio/activity';
import type { SealedTranscript, SealTranscriptInput } from '../shared/activities.js';
import { beatWhile } from './heartbeats.js';
import type { ActivityServices } from './services.js';
import { packTranscript } from './transcript-segments.js';

/** Packs a transcript for the turn's next run: see `continueInNextRun` in the workflow. */
export async function sealTranscript(
  { transcripts, artifacts }: ActivityServices,
  input: SealTranscriptInput,
): Promise<SealedTranscript> {
  const beats = { details: () => undefined };
  return await beatWhile(Context.current(), beats, async () => {
    const messages = await transcripts.read(input.transcript);
    const segments = await packTranscript(messages, input.segments, input.inlineBytes, artifacts);
    return { v: 1, segments };
  });
}
