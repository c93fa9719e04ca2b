import type { Agent, AgentOutput } from '../define/define-agent.js';
import type { CallModelInput } from '../shared/activities.js';
import type { Budget } from '../shared/limits.js';
import type { Message } from '../shared/messages.js';
import type { Model } from '../shared/model-port.js';
import { planNote, type TurnNote } from '../shared/notes.js';
import { budgetFor } from './settings.js';

/** What is certain of a model call before its request is made: who makes it, on what messages, and what its reply is to be. */
export type CallTerms = {
  agent: Agent;
  model: Model;
  input: CallModelInput;
  /** As they are recorded. */
  messages: readonly Message[];
  /** The same with the arguments that are kept as artifacts. */
  whole: readonly Message[];
  /** Asks for a plan where the turn begins with one. It comes after the messages, and is recorded with the reply. */
  note: TurnNote | undefined;
  /** The reply is to be a plan. */
  isPlan: boolean;
  /** The reply is to be the answer, as JSON where there is an output: the model is given no choice of tools. */
  asksJson: boolean;
  /** No call of the reply is to run. */
  withoutTools: boolean;
  /** What a reply without calls is checked against. */
  output: AgentOutput | undefined;
  /** What must be counted. Empty but for the first call of a turn: later ones are known to be counted. */
  budget: Budget;
};

export function termsOf(
  agent: Agent,
  model: Model,
  input: CallModelInput,
  { messages, whole }: Pick<CallTerms, 'messages' | 'whole'>,
): CallTerms {
  const { notes = [], outputRequest } = input;
  const isClosing = notes.some(({ kind }) => kind === 'closing');
  const first = input.resolve ?? input.opens;
  const mayPlan = agent.planning && !input.withoutTools && input.plan !== 'none';
  const note = first && mayPlan ? planNote(0) : undefined;
  return {
    agent,
    model,
    input,
    messages,
    whole,
    note,
    isPlan: note !== undefined || notes.some(({ kind }) => kind === 'plan'),
    asksJson: isClosing || (outputRequest !== undefined && outputRequest.kind === undefined),
    withoutTools: input.withoutTools || note !== undefined,
    // What a tool gives, the plan checks; at the end none can be called.
    output: agent.finalAnswer && !isClosing ? undefined : agent.output,
    budget: first ? budgetFor(agent, first) : {},
  };
}
