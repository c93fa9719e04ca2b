import {
  ActivityCancellationType,
  ActivityFailure,
  type ActivityOptions,
  ApplicationFailure,
  CancelledFailure,
  proxyActivities,
  TimeoutFailure,
} from '@temporalio/workflow';
import {
  DEFAULT_ACTIVITY,
  type PlannedCall,
  RECONCILE_TOOL,
  type RunToolInput,
  type RunToolResult,
} from '../shared/activities.js';
import { WORKER_LOST } from '../shared/failures.js';
import type { ToolResultBlock } from '../shared/messages.js';
import { lastWordIn, type ToolEnd, triedIn } from '../shared/settle.js';
import { workerLost } from '../shared/tool-results.js';
import type { ToolSettings } from '../shared/turn-settings.js';
import { isTry, runLocalTool, runsLocally } from './local-tool.js';
import { runRemoteTool } from './remote-tool.js';
import type { TurnRun } from './turn-run.js';

export type CallToRun = Extract<PlannedCall, { do: 'run' }> & {
  /** Its place in the reply. */
  index: number;
  iteration: number;
  tool: ToolSettings;
  /** A person has changed its arguments. */
  changed?: true;
  /** Where its share of what the results may take together is less than usual. */
  maxResultBytes?: number;
  maxImageBytes?: number;
};

/** The tool ends itself at its timeout; Temporal's own comes later, for one that can't be ended. */
const GRACE_MS = 15_000;

/** A lost attempt of a tool that may run only once is never tried again by Temporal: `settleToolCall` decides. */
const LOST_ATTEMPTS = ['TemporalTimeout:Heartbeat', 'TemporalTimeout:StartToClose'];

type ToolActivities = { [type: string]: (input: RunToolInput) => Promise<RunToolResult> };

/**
 * Runs a tool's activity and says how it ended; never throws. `start` counts the starts of this call from 0; `onMuch` is
 * told what the result of a remote tool is while its text is being kept.
 */
export function runTool(
  run: TurnRun,
  call: CallToRun,
  start: number,
  onMuch: (inShort: ToolResultBlock) => void,
): Promise<ToolEnd> {
  const activityId = `i${call.iteration}.${call.index}.${call.callId.slice(0, 40)}${start > 0 ? `.${start + 1}` : ''}`;
  const input = toolInput(run, call);
  const { remote } = call.tool;
  if (remote) return runRemoteTool(run, call, remote, { activityId, input }, onMuch);
  // Hooks may take longer than a workflow task can wait.
  if (start === 0 && runsLocally(call) && run.settings?.hooks?.afterToolMs === undefined) {
    return runLocalTool(call, input).then(
      (output) => ({ kind: 'completed', output }),
      (fault: unknown) =>
        runActivity(run, call, activityId, isTry(fault) ? { ...input, triesBefore: 1 } : input),
    );
  }
  return runActivity(run, call, activityId, input);
}

function runActivity(
  run: TurnRun,
  call: CallToRun,
  activityId: string,
  input: RunToolInput,
): Promise<ToolEnd> {
  const type = call.tool.mcp ? DEFAULT_ACTIVITY : call.name;
  const { retry, ...options } = toolOptions(run, call);
  const maximumAttempts = call.tool.maxAttempts - (input.triesBefore ?? 0);
  const work = activity(type, { ...options, retry: { ...retry, maximumAttempts }, activityId })(input);
  return work.then((output) => ({ kind: 'completed', output }), endOf);
}

/** Asks the tool what came of a call whose worker died in its middle. Without an answer the effects stay unknown. */
export async function reconcileTool(run: TurnRun, call: CallToRun): Promise<ToolResultBlock> {
  const activityId = `i${call.iteration}.${call.index}.reconcile`;
  const summary = `what came of ${call.summary}`;
  try {
    const { retry, ...options } = toolOptions(run, call);
    const { result } = await activity(RECONCILE_TOOL, {
      ...options,
      summary,
      activityId,
      retry: { ...retry, nonRetryableErrorTypes: [] },
    })(toolInput(run, call));
    return result;
  } catch {
    return workerLost({ id: call.callId, name: call.name });
  }
}

function activity(type: string, options: ActivityOptions): (input: RunToolInput) => Promise<RunToolResult> {
  const run = proxyActivities<ToolActivities>(options)[type];
  if (!run) throw new TypeError(`No activity ${type}`);
  return run;
}

function toolOptions(
  run: TurnRun,
  call: CallToRun,
): ActivityOptions & { retry: NonNullable<ActivityOptions['retry']> } {
  const { tool } = call;
  const toolRetry = tool.retry ?? run.settings?.toolRetry ?? { initialMs: 200, maxMs: 10_000 };
  return {
    summary: call.summary,
    startToCloseTimeout: tool.timeoutMs + GRACE_MS + (run.settings?.hooks?.afterToolMs ?? 0),
    heartbeatTimeout: tool.heartbeatTimeoutMs,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: toolRetry.initialMs,
      maximumInterval: toolRetry.maxMs,
      maximumAttempts: tool.maxAttempts,
      nonRetryableErrorTypes: tool.idempotent ? [] : LOST_ATTEMPTS,
    },
    ...(run.input.tenant !== undefined && { priority: { fairnessKey: run.input.tenant } }),
  };
}

export function toolInput(run: TurnRun, call: CallToRun): RunToolInput {
  const { mcp, idempotent, timeoutMs } = call.tool;
  return {
    v: 1,
    agent: run.input.agent,
    version: run.settings?.version ?? '',
    turnId: run.turnId,
    iteration: call.iteration,
    tool: call.name,
    callId: call.callId,
    input: call.input,
    ...(call.maxResultBytes !== undefined && { maxResultBytes: call.maxResultBytes }),
    ...(call.maxImageBytes !== undefined && { maxImageBytes: call.maxImageBytes }),
    ...(mcp && { mcp: { ...mcp, idempotent, timeoutMs } }),
    ...(call.inputArtifact && { inputArtifact: call.inputArtifact }),
    ...artifactsOf(run, call),
    ...(call.changed && { changed: true }),
    ...(call.changedBy && { changedBy: call.changedBy }),
    ...(run.input.parent?.permissions && { above: run.input.parent.permissions }),
    ...(run.input.metadata && { metadata: run.input.metadata }),
  };
}

/** Those that the call names, each once; what is not there was refused before. */
function artifactsOf(run: TurnRun, { artifacts = [] }: CallToRun): Pick<RunToolInput, 'artifacts'> {
  const found = new Set(artifacts.flatMap((name) => run.artifacts.get(name) ?? []));
  return found.size > 0 ? { artifacts: [...found] } : {};
}

/** Of an activity of ours. */
export function endOf(error: unknown): ToolEnd {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof CancelledFailure) return { kind: 'canceled', ...lastWordIn(cause.details?.[0]) };
  if (cause instanceof TimeoutFailure) {
    if (cause.timeoutType === 'START_TO_CLOSE') return { kind: 'overdue' };
    if (cause.timeoutType === 'HEARTBEAT') return { kind: 'lost', ...lastWordIn(cause.lastHeartbeatDetails) };
    return { kind: 'failed', type: 'Tool.Failed', text: cause.message };
  }
  if (cause instanceof ApplicationFailure && cause.type === WORKER_LOST) {
    return { kind: 'lost', ...lastWordIn(cause.details?.[0]) };
  }
  if (cause instanceof ApplicationFailure) {
    const tried = triedIn(cause.details?.[0]);
    return { kind: 'failed', type: cause.type ?? 'Tool.Failed', text: cause.message, ...tried };
  }
  return { kind: 'failed', type: 'Tool.Failed', text: String(cause) };
}
