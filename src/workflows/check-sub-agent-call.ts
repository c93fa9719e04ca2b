import {
  ActivityCancellationType,
  ActivityFailure,
  CancelledFailure,
  proxyActivities,
} from '@temporalio/workflow';
import { CHECK_SUB_AGENT, type CheckedCall, type RunToolInput } from '../shared/activities.js';
import { callSummary } from '../shared/call-summary.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { uncheckedSubAgent } from '../shared/sub-agents.js';
import { wireLine } from '../shared/wire-text.js';
import { type CallToRun, toolInput } from './tool-activity.js';
import type { TurnRun } from './turn-run.js';

type CheckActivities = { [CHECK_SUB_AGENT](input: RunToolInput): Promise<CheckedCall> };

/**
 * A sub-agent's call with a person's own arguments, as it may run; or its result, where they don't fit or a rule denies
 * them. Undefined where the turn is to end before that is known. Never throws.
 */
export async function checkedSubAgentCall(
  run: TurnRun,
  call: CallToRun,
): Promise<CallToRun | ToolResultBlock | undefined> {
  const { [CHECK_SUB_AGENT]: check } = proxyActivities<CheckActivities>({
    activityId: `i${call.iteration}.${call.index}.check`,
    summary: wireLine(`whether ${call.name} may be called so`),
    startToCloseTimeout: '1 minute',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { maximumAttempts: 10 },
  });
  try {
    const checked = await check(toolInput(run, call));
    if ('result' in checked) return checked.result;
    return { ...call, input: checked.input, summary: callSummary(call.name, checked.input) };
  } catch (error) {
    const isCanceled = error instanceof ActivityFailure && error.cause instanceof CancelledFailure;
    return isCanceled ? undefined : uncheckedSubAgent({ id: call.callId, name: call.name });
  }
}
