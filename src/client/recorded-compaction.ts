import type { temporal } from '@temporalio/proto';
import type { InterruptedReply } from '../shared/activities.js';
import { type CompactInput, type CompactReply, problemLine } from '../shared/compaction/wire.js';
import type { CompactionEnd } from '../shared/recorded-step.js';

type Failure = temporal.api.failure.v1.IFailure;

const INTERRUPTED = 'It was interrupted.';

/** How a compaction's activity ended, as the workflow took it. */
export function compactionEnd(
  { trigger, tokens, transcript }: CompactInput,
  end:
    | { kind: 'completed'; output: unknown }
    | { kind: 'canceled' }
    | { kind: 'failed'; failure: Failure | null | undefined },
): CompactionEnd {
  const unchanged = (problem: string) => ({ trigger, before: tokens, after: tokens, problem });
  if (end.kind === 'completed') {
    const output = end.output as CompactReply | InterruptedReply;
    if ('interrupted' in output) return { record: unchanged(INTERRUPTED), interrupted: true };
    const { record, pieces } = output;
    const of = transcript.spans.at(-1);
    return { record, ...(pieces && of && { made: { pieces, count: of.to, headId: of.headId } }) };
  }
  if (end.kind === 'canceled') return { record: unchanged(INTERRUPTED), interrupted: true };
  const { message, applicationFailureInfo } = end.failure ?? {};
  const type = applicationFailureInfo?.type ? `${applicationFailureInfo.type}: ` : '';
  return { record: unchanged(problemLine(`${type}${message ?? ''}`)) };
}
