import type { PlannedTurn } from '../plan.js';
import type { Records, TurnEvidence } from './evidence.js';
import { resultsOf } from './evidence.js';

/** Why a turn has not ended as it should; undefined for one that has. */
export function endProblem(
  planned: PlannedTurn,
  turn: TurnEvidence | undefined,
  records: Records,
): string | undefined {
  if (!turn) return `${planned.turnId} is not known to the server`;
  const { turnId, closed, outcome } = turn;
  if (closed === undefined) return `${turnId} is still open`;
  if (closed === 'failed') return `${turnId} failed: ${failureText(turn)}`;
  const asked = endsAskedFor(turnId, records);
  if (closed === 'canceled') return asked.includes('cancel') ? undefined : `${turnId} was canceled by nobody`;
  if (outcome?.type === 'interrupted') {
    const by = outcome.intervention?.kind;
    return by && asked.includes(by) ? undefined : `${turnId} was interrupted by nobody`;
  }
  if (outcome?.type !== 'completed') return `${turnId} ended as ${outcome?.type}`;
  const wanted = planned.rounds.flatMap((round) => round.calls).length;
  const answered = resultsOf(turn.messages.slice(turn.deltaFrom)).length;
  return answered === wanted ? undefined : `${turnId} completed with ${answered} of ${wanted} calls`;
}

/** Every way in which somebody wanted the turn to end, whether or not the wish is known to have arrived. */
export function endsAskedFor(turnId: string, { deeds }: Records): string[] {
  return deeds.flatMap((deed) => (deed.deed === 'ended' && deed.turnId === turnId ? [deed.kind] : []));
}

function failureText({ events }: TurnEvidence): string {
  const failure = events.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
  return `${failure?.applicationFailureInfo?.type}: ${failure?.message}`;
}
