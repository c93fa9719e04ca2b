import type { JsonObject } from '../shared/json.js';
import type { Message } from '../shared/messages.js';

/** What a check may look at beside the answer. */
export type AnswerCheckContext = {
  /** The answer as text; JSON where it is none. */
  text: string;
  turnId: string;
  metadata: JsonObject;
  /** All messages up to the answer, which is in the last one. */
  transcript: readonly Message[];
  /** Fires when the turn is interrupted, or the worker shuts down. */
  signal: AbortSignal;
};

/**
 * Says whether an answer may end the turn: `true`; or why not, which the model reads. What it throws is a reason, too, and
 * so is anything else that it returns. It may be asked twice about the same answer.
 */
export type AnswerCheck<Answer = unknown> = (
  answer: Answer,
  context: AnswerCheckContext,
) => boolean | string | Promise<boolean | string>;

/** Throws a TypeError that names the agent and what is no check. */
export function requireChecks(agent: string, checks: readonly unknown[]): void {
  const wrong = checks.findIndex((check) => typeof check !== 'function');
  if (wrong < 0) return;
  throw new TypeError(
    `Agent ${agent}, checks[${wrong}]: give a function of the answer that returns true, or what is wrong with it.`,
  );
}
