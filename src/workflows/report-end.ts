import {
  ApplicationFailure,
  CancellationScope,
  defineSignal,
  getExternalWorkflowHandle,
  workflowInfo,
} from '@temporalio/workflow';
import type { ParentTurn } from '../shared/parent-turn.js';
import { TURN_ENDED, type TurnEnded, turnEnded } from '../shared/sub-agents.js';
import type { TurnOutcome } from '../shared/turn.js';
import { boundedText } from '../shared/wire-text.js';

const turnEndedSignal = defineSignal<[TurnEnded]>(TURN_ENDED);

/**
 * The last act of a sub-agent's turn: its parent hears of the end, and waits for nothing else. Returns the outcome with no
 * more text than that has told, for the parent's history gets it, too; the whole is in the turn's own.
 */
export async function reportEnd(
  parent: ParentTurn,
  outcome: TurnOutcome,
  failure?: { type: string; message: string },
): Promise<TurnOutcome> {
  const { workflowId } = workflowInfo();
  const ended = turnEnded(workflowId, outcome, parent.maxResultBytes, failure);
  try {
    await CancellationScope.nonCancellable(() =>
      getExternalWorkflowHandle(parent.workflowId).signal(turnEndedSignal, ended),
    );
  } catch {
    // It has ended by now.
  }
  return { ...outcome, text: boundedText(outcome.text, parent.maxResultBytes) };
}

/** Of a turn that is about to fail; its outcome so far is in the failure's details. */
export async function reportFailure(parent: ParentTurn, error: unknown): Promise<void> {
  if (!(error instanceof ApplicationFailure)) return;
  const outcome = error.details?.[0] as TurnOutcome | undefined;
  if (!outcome) return;
  await reportEnd(parent, outcome, { type: error.type ?? 'Turn.Failed', message: error.message });
}
