import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  patched,
  proxyActivities,
} from '@temporalio/workflow';
import type { CompactRequest } from '../../shared/compaction/settings.js';
import { problemLine } from '../../shared/compaction/wire.js';
import { readCompact } from '../../shared/interventions.js';
import {
  COMPACT_SESSION,
  type CompactedSession,
  type CompactSessionInput,
} from '../../shared/session-activities.js';
import { exceededLimit, limitText } from '../../shared/session-limits.js';
import {
  firstProblem,
  type SessionCompactReceipt,
  type SessionCompactRequest,
  sessionCompactProblems,
} from '../../shared/session-requests.js';
import { addFailed, addUsage, joinUsage, noUsage, spentIn } from '../../shared/usage.js';
import { wireText } from '../../shared/wire-text.js';
import { lastWord } from '../last-word.js';
import type { SessionRun } from './session-run.js';

const KEEPS_TO_LIMITS = 'session-compactions-keep-to-limits';

type CompactActivities = { [COMPACT_SESSION](input: CompactSessionInput): Promise<CompactedSession> };

const { [COMPACT_SESSION]: compactSession } = proxyActivities<CompactActivities>({
  summary: 'compacts the transcript',
  // The activity bounds itself by its agent's `compaction.timeout`.
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 3 },
});

type Asked = Pick<CompactRequest, 'focus'> & { agent?: string };

/** The running turn does it; where none runs, the session itself. */
export async function compact(
  run: SessionRun,
  raw: SessionCompactRequest = { v: 1 },
): Promise<SessionCompactReceipt> {
  const problem = firstProblem('compaction of a session', raw, sessionCompactProblems);
  if (problem !== undefined) return refused(problem);
  run.steps += 1;
  const request = readCompact(raw, '');
  const { live } = run;
  if (live) {
    live.ask();
    live.compact(request, raw.id !== undefined);
    return { v: 1, status: 'passed_on', turnId: live.turnId };
  }
  const { focus } = request;
  const { agent } = raw;
  return await compactBetweenTurns(run, {
    ...(focus !== undefined && { focus }),
    ...(agent !== undefined && { agent }),
  });
}

/** Gives the next turn a summary of the older ones. What fails, or is interrupted, changes nothing. */
export async function compactBetweenTurns(
  run: SessionRun,
  { focus, agent }: Asked,
): Promise<SessionCompactReceipt> {
  if (run.isCutting) return { v: 1, status: 'busy', problem: 'It is being compacted, or cut, just now.' };
  const given = run.transcript.forTurn.earlier;
  if (!given || run.input.keepTranscript === false) return refused('The session has no messages.');
  const request = agent === undefined ? run.lastRequest : { agent };
  if (!request) return refused('No turn has run yet: say by whose model, {"v":1,"agent":"<name>"}.');
  // It is no turn.
  const { turns: _turns, ...limits } = run.limits;
  const used = exceededLimit(limits, run.usage, 0);
  if (used && patched(KEEPS_TO_LIMITS)) return { v: 1, status: 'unchanged', problem: limitText(used) };
  const { version, model, metadata } = request;
  run.isCutting = true;
  run.show();
  const scope = new CancellationScope();
  run.stopCompacting = () => scope.cancel();
  try {
    const made = await scope.run(() =>
      compactSession({
        ...{ v: 1, sessionId: run.sessionId, base: given, agent: request.agent },
        ...(version !== undefined && { version }),
        ...(model !== undefined && { model }),
        ...(focus !== undefined && { focus }),
        ...(metadata && { metadata }),
      }),
    );
    return take(run, made);
  } catch (error) {
    run.usage = joinUsage(run.usage, spentIn(lastWord(error)) ?? addFailed(noUsage, 'unknown'));
    return { v: 1, status: 'unchanged', problem: problemOf(error) };
  } finally {
    run.isCutting = false;
    run.stopCompacting = undefined;
    run.show();
  }
}

function take(run: SessionRun, { record, compacted, spent }: CompactedSession): SessionCompactReceipt {
  if (record.usage) run.usage = addUsage(run.usage, record.usage);
  run.usage = joinUsage(run.usage, spent ?? noUsage);
  if (compacted) run.transcript.compacted = compacted;
  const last = run.turns.at(-1);
  const at = new Date(Date.now()).toISOString();
  if (last) last.compactions = [...(last.compactions ?? []), { ...record, at }];
  const { problem } = record;
  const status = compacted ? 'done' : 'unchanged';
  return { v: 1, status, record, ...(problem !== undefined && { problem }) };
}

function refused(problem: string): SessionCompactReceipt {
  return { v: 1, status: 'refused', problem: wireText(problem, 1000) };
}

function problemOf(error: unknown): string {
  if (isCancellation(error)) return problemLine('It was interrupted.');
  const cause = error instanceof ActivityFailure ? error.cause : error;
  const type = cause instanceof ApplicationFailure && cause.type ? `${cause.type}: ` : '';
  return problemLine(`${type}${cause instanceof Error ? cause.message : String(cause)}`);
}
