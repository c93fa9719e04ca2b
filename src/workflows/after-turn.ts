import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  proxyActivities,
} from '@temporalio/workflow';
import { AFTER_TURN, type AfterTurnInput, type AfterTurnResult, hookedTurn } from '../shared/hooks.js';
import type { TurnOutcome } from '../shared/turn.js';
import type { TurnRun } from './turn-run.js';

type HookActivities = { [AFTER_TURN](input: AfterTurnInput): Promise<AfterTurnResult> };

const GRACE_MS = 15_000;

/**
 * Calls the agent's hooks after a turn, where it has some, and waits for them. Not after an interrupt or a cancel, which
 * are to end the turn now. Never throws: what has become of the turn stays so, whatever a hook does.
 */
export async function afterTurn(
  run: TurnRun,
  outcome: TurnOutcome,
  failure?: { type: string; message: string },
): Promise<void> {
  const afterTurnMs = run.settings?.hooks?.afterTurnMs;
  if (afterTurnMs === undefined || outcome.type === 'interrupted') return;
  const { [AFTER_TURN]: callHooks } = proxyActivities<HookActivities>({
    activityId: 'after-turn',
    summary: 'hooks after the turn',
    startToCloseTimeout: afterTurnMs + GRACE_MS,
    heartbeatTimeout: '10 seconds',
    cancellationType: ActivityCancellationType.ABANDON,
    retry: { initialInterval: '1 second', maximumInterval: '10 seconds', maximumAttempts: 10 },
    ...(run.input.tenant !== undefined && { priority: { fairnessKey: run.input.tenant } }),
  });
  const { agent, version, turnId } = outcome;
  const { metadata } = run.input;
  try {
    await CancellationScope.nonCancellable(() =>
      callHooks({
        ...{ v: 1, agent, version, turnId, outcome: hookedTurn(outcome, failure) },
        ...(metadata && { metadata }),
      }),
    );
  } catch {
    // A hook's fault is in the activity's result; this one is Temporal's, and the Web UI shows it.
  }
}

/** Of a turn that is about to fail; its outcome so far is in the failure's details. */
export async function afterFailure(run: TurnRun, error: unknown): Promise<void> {
  if (!(error instanceof ApplicationFailure)) return;
  const outcome = error.details?.[0] as TurnOutcome | undefined;
  if (outcome) await afterTurn(run, outcome, { type: error.type ?? 'Turn.Failed', message: error.message });
}
