import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import { AFTER_CALL, type AfterCallInput, type AfterCallResult } from '../shared/hooks.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { wireLine } from '../shared/wire-text.js';
import type { CallToRun } from './tool-activity.js';
import type { TurnRun } from './turn-run.js';

type HookActivities = { [AFTER_CALL](input: AfterCallInput): Promise<AfterCallResult> };

const GRACE_MS = 15_000;

/** The result of a call, which the workflow has made, as the agent's hooks leave it; undefined where they can't be asked. */
export async function afterCall(
  run: TurnRun,
  call: CallToRun,
  result: ToolResultBlock,
): Promise<AfterCallResult | undefined> {
  const { [AFTER_CALL]: callHooks } = proxyActivities<HookActivities>({
    activityId: `i${call.iteration}.${call.index}.hooks`,
    summary: wireLine(`hooks after ${call.summary}`),
    startToCloseTimeout: (run.settings?.hooks?.afterToolMs ?? 0) + GRACE_MS,
    heartbeatTimeout: '10 seconds',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '1 second', maximumInterval: '10 seconds', maximumAttempts: 10 },
    ...(run.input.tenant !== undefined && { priority: { fairnessKey: run.input.tenant } }),
  });
  const { maxResultBytes, changedBy, changed } = call;
  const { metadata } = run.input;
  try {
    return await callHooks({
      ...{ v: 1, agent: run.input.agent, version: run.settings?.version ?? '', turnId: run.turnId },
      ...{ iteration: call.iteration, input: call.input, result },
      ...(changedBy && !changed && { changedBy }),
      ...(maxResultBytes !== undefined && { maxResultBytes }),
      ...(metadata && { metadata }),
    });
  } catch {
    return undefined;
  }
}
