import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import { AFTER_SUB_AGENT, type AfterSubAgentInput, type AfterSubAgentResult } from '../shared/hooks.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { wireLine } from '../shared/wire-text.js';
import type { CallToRun } from './tool-activity.js';
import type { TurnRun } from './turn-run.js';

type HookActivities = { [AFTER_SUB_AGENT](input: AfterSubAgentInput): Promise<AfterSubAgentResult> };

const GRACE_MS = 15_000;

/** The result of a sub-agent's call as the agent's hooks leave it. Never throws: without them it is as it was. */
export async function afterSubAgent(
  run: TurnRun,
  call: CallToRun,
  result: ToolResultBlock,
): Promise<Pick<AfterSubAgentResult, 'result' | 'hooks'>> {
  const { [AFTER_SUB_AGENT]: callHooks } = proxyActivities<HookActivities>({
    activityId: `i${call.iteration}.${call.index}.hooks`,
    summary: wireLine(`hooks after ${call.summary}`),
    startToCloseTimeout: (run.settings?.hooks?.afterToolMs ?? 0) + GRACE_MS,
    heartbeatTimeout: '10 seconds',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { initialInterval: '1 second', maximumInterval: '10 seconds', maximumAttempts: 10 },
    ...(run.input.tenant !== undefined && { priority: { fairnessKey: run.input.tenant } }),
  });
  const { maxResultBytes } = call;
  const { metadata } = run.input;
  try {
    return await callHooks({
      ...{ v: 1, agent: run.input.agent, version: run.settings?.version ?? '', turnId: run.turnId },
      ...{ iteration: call.iteration, input: call.input, result },
      ...(maxResultBytes !== undefined && { maxResultBytes }),
      ...(metadata && { metadata }),
    });
  } catch {
    return { result, hooks: [] };
  }
}
