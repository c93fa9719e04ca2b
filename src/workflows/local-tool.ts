import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { RunToolInput, RunToolResult } from '../shared/activities.js';
import { TOOL_RETRYABLE } from '../shared/failures.js';
import type { CallToRun } from './tool-activity.js';

type LocalActivities = { [type: string]: (input: RunToolInput) => Promise<RunToolResult> };

/** The tool ends itself at its timeout; this is for a process that something else keeps busy. */
const GRACE_MS = 10_000;

/** A person who decides takes longer than what it saves; and a store that keeps long arguments may be slow. */
export function runsLocally({ tool, permission, inputArtifact }: CallToRun): boolean {
  return tool.local === true && permission?.policy !== 'ask' && inputArtifact === undefined;
}

/** Whether a local tool that gave no result has run: it wants to be tried again, or its worker shut down. */
export function isTry(fault: unknown): boolean {
  const cause = fault instanceof ActivityFailure ? fault.cause : fault;
  return cause instanceof ApplicationFailure && cause.type === TOOL_RETRYABLE;
}

/**
 * Runs a call in the worker that has the workflow, within its workflow task. Rejects where there is no result: it has no
 * such tool, it shuts down, the tool asks to be tried again. Then the call is an ordinary activity's.
 *
 * An interrupt does not cancel it: the tool hears of it in its own process, and returns.
 */
export async function runLocalTool(call: CallToRun, input: RunToolInput): Promise<RunToolResult> {
  const run = proxyLocalActivities<LocalActivities>({
    startToCloseTimeout: call.tool.timeoutMs + GRACE_MS,
    retry: { maximumAttempts: 1 },
    summary: call.summary,
  })[call.name];
  if (!run) throw new TypeError(`No activity ${call.name}`);
  return await CancellationScope.nonCancellable(() => run(input));
}
