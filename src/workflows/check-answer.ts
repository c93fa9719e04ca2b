import {
  ActivityCancellationType,
  ActivityFailure,
  CancelledFailure,
  proxyActivities,
} from '@temporalio/workflow';
import {
  CHECK_ANSWER,
  type CheckAnswerInput,
  type CheckedAnswer,
  type ModelReply,
} from '../shared/activities.js';
import { NOT_CHECKED } from '../shared/final-answer.js';
import type { Json } from '../shared/json.js';
import type { OutcomeType } from '../shared/turn.js';
import type { Interventions } from './interventions.js';
import type { TurnRun } from './turn-run.js';

type CheckActivities = { [CHECK_ANSWER](input: CheckAnswerInput): Promise<CheckedAnswer> };

// Not part of what a replay compares.
const OPTIONS = {
  summary: 'checks the answer',
  startToCloseTimeout: '30 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds', maximumAttempts: 10 },
} as const;

/** What the agent's checks say of an answer; undefined where the turn was interrupted meanwhile. Never rejects. */
export async function askChecks(
  run: TurnRun,
  answer: Json,
  callId?: string,
): Promise<CheckedAnswer | undefined> {
  const { [CHECK_ANSWER]: check } = proxyActivities<CheckActivities>({
    ...OPTIONS,
    activityId: `i${run.iteration - 1}.check`,
    ...(run.input.tenant !== undefined && { priority: { fairnessKey: run.input.tenant } }),
  });
  const asked = check({
    v: 1,
    agent: run.input.agent,
    version: run.settings?.version ?? '',
    turnId: run.turnId,
    iteration: run.iteration - 1,
    ...(callId !== undefined && { callId }),
    answer,
    transcript: run.transcript.ref(),
    ...(run.input.metadata && { metadata: run.input.metadata }),
  });
  return await asked.catch((fault: unknown) => {
    // One that failed meanwhile was not tried again.
    const isCanceled =
      fault instanceof ActivityFailure &&
      (fault.cause instanceof CancelledFailure || fault.retryState === 'CANCEL_REQUESTED');
    return isCanceled ? undefined : NOT_CHECKED;
  });
}

/** An answer that a tool gives was checked as that call's result. */
export function isToBeChecked({ settings }: TurnRun, ending: OutcomeType | undefined): boolean {
  return ending === 'completed' && settings?.checksAnswer === true && !settings.finalAnswer;
}

/**
 * How a turn ends whose reply would complete it, after the agent's checks; undefined if the loop goes on. What nobody has
 * checked never ends a turn as completed.
 */
export async function checkedEnding(
  run: TurnRun,
  interventions: Interventions,
): Promise<OutcomeType | undefined> {
  const { settings, output } = run;
  if (interventions.ending || !settings) return 'interrupted';
  const asking = askChecks(run, output.value ?? run.lastText);
  const { value: checked } = await interventions.waitFor(asking, settings.settleMs);
  if (!checked) return 'interrupted';
  if (checked.problem === undefined) return 'completed';
  output.refuse(checked.problem);
  return undefined;
}

/**
 * What a closing answer gives as the agent's output counts as that once the checks have let it pass, however the turn ends.
 * Returns where an interrupt has cut them.
 */
export async function takeClosingOutput(
  run: TurnRun,
  interventions: Interventions,
  { output: given }: ModelReply,
): Promise<'interrupted' | undefined> {
  const { settings, output } = run;
  if (!settings?.closesWithOutput || !given?.ok) return undefined;
  if (settings.checksAnswer) {
    if (interventions.ending) return undefined;
    const { value: checked } = await interventions.waitFor(askChecks(run, given.value), settings.settleMs);
    if (!checked) return 'interrupted';
    if (checked.problem !== undefined) return undefined;
  }
  output.close(given.value);
  return undefined;
}
