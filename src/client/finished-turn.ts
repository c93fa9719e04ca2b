import type { TurnFold } from '../shared/fold.js';
import { type Message, textOf, toolCallsOf } from '../shared/messages.js';
import type { TurnStep } from '../shared/steps.js';
import type { OutcomeType, TurnOutcome } from '../shared/turn.js';
import { TurnFailed } from './errors.js';

/**
 * An ended turn's outcome, with all the messages that it added and a step an iteration. A completed one has the `output` of its agent, checked
 * and as JSON has it; where the agent has none, or its type was not given, it is `unknown`. A closing answer may have given it, too.
 */
export type FinishedTurn<Output = unknown> = Omit<TurnOutcome, 'messages' | 'steps' | 'type' | 'output'> & {
  messages: Message[];
  steps: TurnStep[];
} & (
    | { type: 'completed'; output: Output }
    | { type: Closed; output?: Output }
    | { type: Exclude<OutcomeType, Closed | 'completed'>; output?: never }
  );
type Closed = 'max_iterations' | 'loop_detected';

/** With what a long turn's result leaves out: it is in the event history, which `rebuilt` reads. */
export async function wholeOutcome(
  outcome: TurnOutcome,
  rebuilt: () => Promise<TurnFold>,
): Promise<TurnOutcome> {
  // That of a workflow which is no turn may be anything: reading its history says so.
  if (outcome?.messages && outcome.steps) return outcome;
  const fold = await rebuilt();
  const steps = outcome.steps ?? fold.steps.list();
  if (outcome.messages) return { ...outcome, steps };
  const messages = fold.messages.slice(fold.deltaFrom);
  const lastReply = messages.findLast((message) => message.role === 'assistant');
  // That of a turn which a call has completed is what it was given.
  const isGiven = outcome.type === 'completed' && lastReply && toolCallsOf(lastReply).length > 0;
  const text = lastReply && !isGiven ? textOf(lastReply) : outcome.text;
  return { ...outcome, text, messages, steps };
}

/** Where the history can't be read, the failure tells what it has. */
export async function wholeFailure(error: unknown, rebuilt: () => Promise<TurnFold>): Promise<unknown> {
  if (!(error instanceof TurnFailed) || !error.outcome) return error;
  const { status, type, message, outcome, cause } = error;
  const whole = await wholeOutcome(outcome, rebuilt).catch(() => outcome);
  return new TurnFailed(status, type, message, whole, cause);
}
