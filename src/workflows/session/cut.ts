import { proxyActivities } from '@temporalio/workflow';
import {
  CUT_TRANSCRIPT,
  type CutTranscript,
  type CutTranscriptInput,
} from '../../shared/session-activities.js';
import {
  type CutReceipt,
  type CutRequest,
  cutProblems,
  firstProblem,
  type PREFIX,
  ROLLBACK,
} from '../../shared/session-requests.js';
import { errorText, wireText } from '../../shared/wire-text.js';
import type { SessionRun } from './session-run.js';

type CutActivities = { [CUT_TRANSCRIPT](input: CutTranscriptInput): Promise<CutTranscript> };

const { [CUT_TRANSCRIPT]: cutTranscript } = proxyActivities<CutActivities>({
  summary: 'cuts the transcript',
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 5 },
});

/** A `rollback` of the session to a message, between two turns; a `prefix` answers what a rollback would leave. */
export async function cut(
  run: SessionRun,
  raw: CutRequest,
  kind: typeof ROLLBACK | typeof PREFIX,
): Promise<CutReceipt> {
  const refused = (problem: string): CutReceipt => {
    return { v: 1, status: 'refused', messageCount: run.transcript.count, problem: wireText(problem, 1000) };
  };
  const problem = firstProblem(kind, raw, cutProblems);
  if (problem !== undefined) return refused(problem);
  const isRollback = kind === ROLLBACK;
  if (isRollback && (run.live || run.queue.length > 0 || run.isCutting)) {
    return { v: 1, status: 'busy', messageCount: run.transcript.count };
  }
  run.steps += 1;
  run.isCutting ||= isRollback;
  try {
    const { problem: fault, ...left } = await cutOf(run, raw);
    if (fault !== undefined) return refused(fault);
    if (isRollback) run.transcript.replace(left);
    return { v: 1, status: 'done', messageCount: left.base?.count ?? 0, ...(!isRollback && left) };
  } catch (error) {
    return refused(errorText(error));
  } finally {
    if (isRollback) run.isCutting = false;
    run.show();
  }
}

async function cutOf(run: SessionRun, { keep }: CutRequest): Promise<Omit<CutTranscript, 'v'>> {
  const { base, compacted } = run.transcript;
  if (keep === 'nothing') return {};
  if (keep === 'all') return run.transcript.messages;
  if (!base) return { problem: 'The session has no messages.' };
  const { v: _v, ...left } = await cutTranscript({ v: 1, base, keep, ...(compacted && { compacted }) });
  return left;
}
