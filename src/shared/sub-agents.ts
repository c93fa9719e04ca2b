import type { PlannedCall } from './activities.js';
import { areNamedArtifacts, type NamedArtifact, namedIn, withHandedUp } from './artifact-names.js';
import { isJsonObject } from './json.js';
import type { ToolResultBlock } from './messages.js';
import type { SubAgentStep } from './steps.js';
import { answer } from './tool-results.js';
import { type OutcomeType, TURN_ID, type TurnOutcome } from './turn.js';
import type { TurnSettings } from './turn-settings.js';
import type { TurnUsage } from './usage.js';
import { wireId, wireText } from './wire-text.js';

// A call of a sub-agent is a turn of its own, a child workflow. Its last act is a signal to the turn that called it.

/** The signal's name. */
export const TURN_ENDED = 'turnEnded';

/** What a sub-agent's turn tells its parent: the signal's argument. */
export type TurnEnded = {
  v: 1;
  /** The workflow id of the turn that ended. */
  turnId: string;
  type: OutcomeType | 'failed';
  /** Its answer, or the last that it said; cut where it is long. */
  text: string;
  /** What its answer names. */
  artifacts?: NamedArtifact[];
  /** Of a failed turn. */
  failure?: { type: string; message: string };
  iterations: number;
  /** Of its own sub-agents, too. */
  usage: TurnUsage;
};

/** How a sub-agent's turn ended, as its signal, the workflow's errors and the event history tell it. */
export type SubAgentEnd =
  | { kind: 'ended'; ended: TurnEnded }
  | { kind: 'not_started'; text: string }
  /** Without a word from itself: from outside, or before it could read its input. */
  | { kind: 'terminated' | 'timed_out' | 'canceled' }
  | { kind: 'failed'; type: string; text: string };

type Called = { id: string; name: string };

/**
 * The workflow id of a call's turn: the same whenever the call is made again. The short form is for parents whose own
 * id leaves no room, or was given by somebody who keeps to other rules.
 */
export function subTurnId(parent: { workflowId: string; firstRunId: string }, callId: string): string {
  const id = `${parent.workflowId}/${callId}`;
  return TURN_ID.test(id) ? id : `sub/${parent.firstRunId}/${callId}`;
}

/** The answer to a call of a sub-agent that can't be started, or undefined where it can. */
export function refusedSubAgent(
  call: Extract<PlannedCall, { do: 'run' }>,
  { limits }: Pick<TurnSettings, 'limits'>,
): ToolResultBlock | undefined {
  const called = { id: call.callId, name: call.name };
  if ((limits.depth ?? 0) < 1) {
    const text = `Error: ${call.name} was not started: agents are nested as deeply here as they may be. Do the task yourself, or say in your answer that it is left to do.`;
    return answer(called, 'error', 'too_deep', text);
  }
  if (!call.inputArtifact) return undefined;
  const text = `Error: ${call.name} was not started: its task is too long to be handed over. Write it shorter; a long text can go into a file that ${call.name} reads.`;
  return answer(called, 'error', 'invalid_arguments', text);
}

/** Its changed arguments could not be looked at. */
export function uncheckedSubAgent(call: Called): ToolResultBlock {
  const text = `Error: ${call.name} was not started: no worker could check the arguments that the user has given it.`;
  return answer(call, 'error', 'sub_agent_failed', text);
}

/**
 * The result of a call whose turn has ended. Only a turn that completed with an answer is a success; any other end is
 * told for what it is. Used by the workflow, and by the fold that rebuilds a transcript from the event history.
 */
export function settleSubAgent(call: Called, end: SubAgentEnd): ToolResultBlock {
  const failed = (text: string) => answer(call, 'error', 'sub_agent_failed', `Error: ${call.name} ${text}`);
  const rest = 'What it did until then stays done.';
  switch (end.kind) {
    case 'ended':
      return settleEnded(call, end.ended);
    case 'not_started':
      return failed(`could not be started: ${end.text}`);
    case 'failed':
      return failed(`failed (${end.type}): ${end.text} ${rest}`);
    case 'terminated':
      return failed(`was terminated from outside before it was done. ${rest}`);
    case 'canceled':
      return failed(`was canceled from outside before it was done. ${rest}`);
    case 'timed_out':
      return failed(`took longer than Temporal was told to let it. ${rest}`);
    default:
      return end satisfies never;
  }
}

function settleEnded(call: Called, ended: TurnEnded): ToolResultBlock {
  const { type, failure, iterations } = ended;
  const said = ended.text.trim() === '' ? '' : `\nThe last that it said:\n${ended.text}`;
  const error = (cause: 'sub_agent_limit' | 'sub_agent_failed', text: string) =>
    answer(call, 'error', cause, `Error: ${call.name} ${text} What it did until then stays done.${said}`);
  switch (type) {
    case 'completed':
      if (ended.text.trim() === '') return error('sub_agent_failed', 'ended without an answer.');
      return withHandedUp(
        {
          ...{ type: 'tool_result', callId: call.id, name: call.name, status: 'ok' },
          content: [{ type: 'text', id: `${call.id}.0`, text: ended.text }],
        },
        ended.artifacts,
      );
    case 'interrupted': {
      const text = `${call.name} was at work when it was interrupted, and stopped after ${callsOf(iterations)}. What it did until then stays done.${said}`;
      return answer(call, 'interrupted', 'was_running', text);
    }
    case 'max_iterations':
      return error('sub_agent_limit', `reached its limit of ${callsOf(iterations)} before it was done.`);
    case 'budget_exceeded':
      return error('sub_agent_limit', 'used up what it may use before it was done.');
    case 'loop_detected':
      return error('sub_agent_limit', 'made the same calls again and again, and was ended.');
    case 'truncated':
      return error('sub_agent_limit', 'reached the output limit of its model before it was done.');
    case 'refused':
      return error('sub_agent_failed', 'did not do it: its model refused, or its reply was filtered.');
    case 'invalid_output':
      return error('sub_agent_failed', 'gave no answer of the form that it is to have.');
    case 'failed':
      return error('sub_agent_failed', `failed (${failure?.type}): ${failure?.message}`);
    default:
      // A newer worker may know more of them.
      return error('sub_agent_failed', `ended without being done (${String(type satisfies never)}).`);
  }
}

/** What a step says of it. */
export function subAgentStep(turnId: string, end: SubAgentEnd): SubAgentStep {
  if (end.kind !== 'ended') return { turnId };
  const { iterations, usage } = end.ended;
  return { turnId, iterations, usage };
}

function callsOf(count: number): string {
  return count === 1 ? '1 model call' : `${count} model calls`;
}

/** What an outcome is to the parent. */
export function turnEnded(
  turnId: string,
  outcome: TurnOutcome,
  maxResultBytes: number,
  failure?: { type: string; message: string },
): TurnEnded {
  const whole = outcome.output === undefined ? outcome.text : JSON.stringify(outcome.output);
  const { type, iterations, usage } = outcome;
  const artifacts = type === 'completed' ? namedIn(whole, outcome.artifacts) : [];
  return {
    ...{ v: 1, turnId, type, text: cut(whole, maxResultBytes), iterations, usage },
    ...(artifacts.length > 0 && { artifacts }),
    ...(failure && { failure: { type: wireId(failure.type), message: wireText(failure.message, 2000) } }),
  };
}

const NOTE_BYTES = 100;

function cut(text: string, maxBytes: number): string {
  const shown = wireText(text, maxBytes - NOTE_BYTES);
  return shown.length < text.length
    ? `${shown}\n[Cut here: the answer is longer than a result may be.]`
    : shown;
}

/** How a child workflow's failure ends its call; a turn that failed has its outcome in the failure's details. */
export function endOfFailure(
  turnId: string,
  failure: { type: string; message: string },
  detail: unknown,
  maxResultBytes: number,
): SubAgentEnd {
  if (isOutcome(detail)) {
    return { kind: 'ended', ended: turnEnded(turnId, detail, maxResultBytes, failure) };
  }
  return { kind: 'failed', type: failure.type, text: failure.message };
}

function isOutcome(value: unknown): value is TurnOutcome {
  return isJsonObject(value) && typeof value['text'] === 'string' && isSum(value['usage']);
}

/** Reads whatever a signal brought; undefined where it is no word of a turn's end. Never throws. */
export function readTurnEnded(raw: unknown): TurnEnded | undefined {
  if (!isJsonObject(raw) || raw['v'] !== 1 || typeof raw['type'] !== 'string') return undefined;
  const { turnId, text, iterations, usage, artifacts } = raw;
  if (artifacts !== undefined && areNamedArtifacts(artifacts, '').length > 0) return undefined;
  if (typeof turnId !== 'string' || typeof text !== 'string' || typeof iterations !== 'number')
    return undefined;
  return isSum(usage) ? (raw as unknown as TurnEnded) : undefined;
}

function isSum(usage: unknown): boolean {
  return isJsonObject(usage) && typeof usage['inputTokens'] === 'number';
}
