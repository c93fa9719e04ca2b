import type { PlannedCall, RunToolResult } from './activities.js';
import { TOOL_NOT_HERE } from './failures.js';
import type { ToolResultBlock } from './messages.js';
import { noAnswerInTime, noWorker } from './remote-tools.js';
import { attemptIn, timingIn } from './steps.js';
import { mayStillRun, notStarted, timedOut, toolThrew, wasRunning, workerLost } from './tool-results.js';
import type { ToolSettings } from './turn-settings.js';

/** How a tool's activity ended, as the workflow's errors and the event history both tell it. */
export type ToolEnd =
  | { kind: 'completed'; output: RunToolResult }
  | ({ kind: 'failed'; type: string; text: string } & Tried)
  /** Its worker died: the heartbeats ceased, or the supervisor said so. */
  | ({ kind: 'lost' } & LastWord)
  /** It took longer than its own timeout, and its worker did not end it. */
  | { kind: 'overdue' }
  /** `begun`: its body had. A call that was canceled before any worker had it had not. */
  | ({ kind: 'canceled' } & LastWord)
  /** Of a remote tool: no worker took it in time. */
  | { kind: 'not_taken' }
  /** A remote tool has returned what our own worker has to make a result of; without it, this is the result. */
  | { kind: 'returned_much'; inShort: ToolResultBlock }
  /** It was still running when the time for settling was over. */
  | { kind: 'abandoned' };

/** Of the last try: when it began, and which it was, from 1. */
export type Tried = { startedAt?: string; attempt?: number };

/** Of a try that gave no result. */
export type LastWord = { begun: boolean } & Tried;

export type Settlement =
  | { do: 'result'; result: ToolResultBlock }
  | { do: 'run_again'; otherwise: ToolResultBlock }
  | { do: 'reconcile' }
  | { do: 'keep'; otherwise: ToolResultBlock };

/**
 * What becomes of a tool call whose activity has ended. The one place where "a tool runs at most once" is decided:
 * without a recorded `begun` a lost attempt had not started and runs again; with it the effects are unknown.
 * Used by the workflow, and by the fold that rebuilds a transcript from the event history.
 */
export function settleToolCall(
  call: Extract<PlannedCall, { do: 'run' }>,
  tool: Pick<ToolSettings, 'reconciles' | 'timeoutMs' | 'idempotent' | 'remote'>,
  end: ToolEnd,
): Settlement {
  const called = { id: call.callId, name: call.name };
  switch (end.kind) {
    case 'completed':
      return { do: 'result', result: end.output.result };
    case 'failed':
      // A worker that lacks the tool has run nothing: another one may have it.
      return end.type === TOOL_NOT_HERE
        ? { do: 'run_again', otherwise: toolThrew(called, end.text) }
        : { do: 'result', result: toolThrew(called, end.text) };
    case 'canceled':
      // An idempotent tool records no beginning: an earlier try, whose worker died, may have had effects.
      return { do: 'result', result: end.begun || tool.idempotent ? wasRunning(called) : notStarted(called) };
    case 'abandoned':
      return { do: 'result', result: mayStillRun(called) };
    case 'not_taken':
      return {
        do: 'result',
        result: tool.remote ? noWorker(called, tool.remote) : toolThrew(called, 'no worker took it'),
      };
    case 'returned_much':
      return { do: 'keep', otherwise: end.inShort };
    case 'overdue':
      if (tool.remote)
        return { do: 'result', result: noAnswerInTime(called, tool.timeoutMs, tool.idempotent) };
      return tool.reconciles
        ? { do: 'reconcile' }
        : { do: 'result', result: timedOut(called, Math.round(tool.timeoutMs / 1000), true) };
    case 'lost':
      if (!end.begun && !tool.idempotent) return { do: 'run_again', otherwise: workerLost(called) };
      return tool.reconciles
        ? { do: 'reconcile' }
        : { do: 'result', result: workerLost(called, tool.idempotent) };
    default:
      return end satisfies never;
  }
}

export function modelTimedOut(message: string): string {
  return `No worker finished the model call: ${message}`;
}

/**
 * Of a model call's cancellation: the text that had come. A server that cancels a call which no worker has puts a
 * text of its own in the details ("ACTIVITY_ID_NOT_STARTED"): that is none of the model's.
 */
export function partialTextOf(details: unknown): string {
  if (typeof details !== 'object' || details === null || !('text' in details)) return '';
  return typeof details.text === 'string' ? details.text : '';
}

/** Of a tool's heartbeat, or of a cancellation's details: whether its body may have had effects, and since when. */
export function lastWordIn(details: unknown): LastWord {
  const isObject = typeof details === 'object' && details !== null;
  const begun = isObject && 'begun' in details && details.begun === true;
  return { begun, ...triedIn(details) };
}

/** Of a result, a heartbeat, or the details of a failure or a cancellation, as far as it says. */
export function triedIn(details: unknown): Tried {
  const { startedAt } = timingIn(details);
  const attempt = attemptIn(details);
  return { ...(startedAt !== undefined && { startedAt }), ...(attempt !== undefined && { attempt }) };
}

/** The try that ended so, as far as it is known. */
export function triedOf(end: ToolEnd): Tried & Pick<RunToolResult, 'hooks'> {
  if (end.kind !== 'completed') return triedIn(end);
  const { hooks } = end.output;
  return { ...triedIn(end.output), ...(hooks && { hooks }) };
}
