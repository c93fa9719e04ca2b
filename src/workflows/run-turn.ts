import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  executeChild,
  ParentClosePolicy,
  TerminatedFailure,
  TimeoutFailure,
  uuid4,
} from '@temporalio/workflow';
import type { AgentType, OutputOf } from '../shared/agent-type.js';
import { askedBy, type PromptPart, shownPrompt } from '../shared/prompt-parts.js';
import {
  type OutcomeType,
  TURN_ID,
  TURN_WORKFLOW,
  type TurnOutcome,
  WORKFLOW_TASK_TIMEOUT,
} from '../shared/turn.js';
import { type GivenByParent, type TurnInput, turnInputProblems } from '../shared/turn-input.js';
import { wireLine, wireText } from '../shared/wire-text.js';

export type RunTurnOptions = Partial<
  Omit<TurnInput, 'v' | 'agent' | 'prompt' | 'attachments' | GivenByParent>
> & {
  /** The agent's name. */
  agent: string;
  /** A prompt may have images and files in it. */
  prompt: string | readonly PromptPart[];
  /** The turn's workflow id, by which clients find it; used once. Default: a new one. */
  turnId?: string;
  /** Where workers serve the agent. Default: the calling workflow's own queue. */
  taskQueue?: string;
};

/**
 * How a turn ended. `messages` are absent where they are large: they are in the turn's event history, and an activity
 * with a client reads them (`client.turn(outcome.turnId).transcript()`).
 */
export type TurnResult<Output = unknown> = Omit<TurnOutcome, 'type' | 'output'> &
  ({ type: 'completed'; output: Output } | { type: Exclude<OutcomeType, 'completed'>; output?: never });

/**
 * Runs a turn as a child of the calling workflow, and waits for its end. An interrupt is an outcome. When the caller is
 * canceled, so is the turn, and the caller's cancellation is thrown once each tool call has its result.
 *
 * Throws an ApplicationFailure: with the type of the turn's fault (`Model.Authentication`) and the outcome so far as
 * `details[0]`; `Turn.Canceled`, `Turn.Terminated`, `Turn.TimedOut` where it was ended from outside; `Turn.Conflict` for
 * a `turnId` that was used before; `Turn.InvalidInput`.
 */
export async function runTurn<Typed extends AgentType = AgentType>(
  options: RunTurnOptions,
): Promise<TurnResult<OutputOf<Typed>>> {
  const { agent, prompt, turnId = uuid4(), taskQueue, ...rest } = options;
  const input = checkedInput(turnId, { v: 1, agent, ...askedBy(prompt), ...rest });
  const shown = shownPrompt(input);
  try {
    const outcome = await executeChild<(input: TurnInput) => Promise<TurnOutcome>>(TURN_WORKFLOW, {
      workflowId: turnId,
      args: [input],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
      // A caller that ends without it lets it settle what runs.
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      staticSummary: wireLine(`${agent}: ${shown}`),
      staticDetails: wireText(shown, 2000),
      ...(taskQueue !== undefined && { taskQueue }),
      ...(input.tenant !== undefined && { priority: { fairnessKey: input.tenant } }),
    });
    return outcome as TurnResult<OutputOf<Typed>>;
  } catch (error) {
    throw turnError(agent, turnId, error);
  }
}

/** A plain error would make Temporal retry the caller's workflow task for ever. */
function checkedInput(turnId: string, input: TurnInput): TurnInput {
  const problems = turnInputProblems(input);
  if (typeof turnId !== 'string' || !TURN_ID.test(turnId)) {
    problems.push(`turnId ${JSON.stringify(turnId)}: use letters, digits and . _ : / -, 200 at most.`);
  }
  if (problems.length === 0) return input;
  const text = `This turn can't be started.\n${problems.join('\n')}`;
  throw ApplicationFailure.nonRetryable(wireText(text), 'Turn.InvalidInput');
}

function turnError(agent: string, turnId: string, error: unknown): unknown {
  if (error instanceof WorkflowExecutionAlreadyStartedError) {
    const text = `A turn ${turnId} was started before. Give this one another turnId, or none.`;
    return ApplicationFailure.nonRetryable(wireText(text), 'Turn.Conflict');
  }
  if (!(error instanceof ChildWorkflowFailure)) return error;
  const { cause } = error;
  if (cause instanceof CancelledFailure && CancellationScope.current().consideredCancelled) return error;
  const fail = (type: string, what: string, details: unknown[] = []) =>
    ApplicationFailure.create({
      type: wireText(type),
      message: wireText(`Turn ${turnId} of ${agent} ${what}`),
      nonRetryable: true,
      details,
    });
  // Its cause is left out: that has the outcome, too, which may be large.
  if (cause instanceof ApplicationFailure) {
    return fail(cause.type ?? 'Turn.Failed', `failed: ${cause.message}`, cause.details ?? []);
  }
  if (cause instanceof CancelledFailure) return fail('Turn.Canceled', 'was canceled');
  if (cause instanceof TerminatedFailure) return fail('Turn.Terminated', 'was terminated');
  if (cause instanceof TimeoutFailure) return fail('Turn.TimedOut', 'timed out');
  return fail('Turn.Failed', `failed: ${cause?.message ?? error.message}`);
}
