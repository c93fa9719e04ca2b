import { pendingCalls } from '../shared/transcript.js';
import type { TurnOutcome, TurnState } from '../shared/turn.js';
import type { TurnRun } from './turn-run.js';

/** The answer to the state query. `outcome`: of a turn that has ended. */
export function stateOf(run: TurnRun, outcome: TurnOutcome['type'] | undefined): TurnState {
  const pending = outcome ? [] : pendingCalls(run.transcript.messages);
  const version = run.settings?.version ?? run.input.version;
  return {
    v: 1,
    turnId: run.turnId,
    agent: run.input.agent,
    ...(version !== undefined && { version }),
    phase: outcome ? 'ended' : pending.length > 0 ? 'tools' : 'model',
    iteration: run.iteration,
    pendingCalls: pending.map(({ id, name }) => ({
      id,
      name,
      status: run.callStatus.get(id) ?? 'waiting',
      ...run.children.of(id),
      ...run.sleeper.untilOf(id),
    })),
    ...run.people.state,
    messageCount: run.transcript.count,
    deltaCount: run.transcript.added,
    usage: run.usage,
    ...run.compaction.state(run.settings?.compaction, run.transcript),
    ...(outcome && { outcome }),
  };
}
