import type { temporal } from '@temporalio/proto';
import type { InterruptedReply } from '../shared/activities.js';
import { type CompactInput, type CompactReply, problemLine } from '../shared/compaction/wire.js';
import type { CompactionEnd } from '../shared/recorded-step.js';

type Failure = temporal.api.failure.v1.IFailure;

const INTERRUPTED = 'It was interrupted.';

/** How a compaction's activity ended, as the workflow took it. */
export function compactionEnd(
  { trigger, tokens }: CompactInput,
  end:
    | { kind: 'completed'; output: unknown }
    | { kind: 'canceled' }
    | { kind: 'failed'; failure: Failure | null | undefined },
): CompactionEnd {
  const unchanged = (problem: string) => ({ trigger, before: tokens, after: tokens, problem });
  if (end.kind === 'completed') {
    const output = end.output as CompactReply | InterruptedReply;
    return 'interrupted' in output
      ? { record: unchanged(INTERRUPTED), interrupted: true }
      : { record: output.record };
  }
  if (end.kind === 'canceled') return { record: unchanged(INTERRUPTED), interrupted: true };
  const { message, applicationFailureInfo } = end.failure ?? {};
  const type = applicationFailureInfo?.type ? `${applicationFailureInfo.type}: ` : '';
  return { record: unchanged(problemLine(`${type}${message ?? ''}`)) };
}
