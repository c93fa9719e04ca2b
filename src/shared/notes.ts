import { FINAL_ANSWER } from './final-answer.js';
import type { JsonObject } from './json.js';
import { type Message, textContent } from './messages.js';
import { ownId } from './opening.js';

/**
 * What Holdfast itself tells the model before a call, in the user's name. It is recorded with that call, so that a
 * transcript which is rebuilt from the event history has it, too.
 */
export type TurnNote = { kind: 'repeated' | 'closing' | 'plan' | 'carry_out'; text: string };

const PREFIX = 'note';

export function noteMessage(firstRunId: string, iteration: number, { kind, text }: TurnNote): Message {
  const id = `${ownId(PREFIX, firstRunId)}_${iteration}_${kind}`;
  return { role: 'user', id, content: textContent(id, text) };
}

/** Whether the message is a note, and not somebody's words. */
export function isNote({ role, id }: Message): boolean {
  return role === 'user' && id.startsWith(`${PREFIX}_`);
}

/** Before the closing call, which is made without tools. `form`: of the answer, where it is to be the agent's output. */
export function closingNote(why: 'max_iterations' | 'loop_detected', form?: ClosingForm): TurnNote {
  const reason =
    why === 'max_iterations'
      ? 'The limit of model calls is reached'
      : 'The same calls were made again and again';
  const asked = `[${reason}, and no more tools can be called. Give your final answer now, with what you have found out.`;
  return { kind: 'closing', text: `${asked} ${form ? formText(form) : 'Say what is left to do.'}]` };
}

/** A JSON schema, or that it is what the tool for the answer takes. */
type ClosingForm = { schema: JsonObject } | 'final_answer';

function formText(form: ClosingForm): string {
  const json = 'It must be JSON, and nothing else';
  return form === 'final_answer'
    ? `${json}: what you would give ${FINAL_ANSWER} as the argument "answer".`
    : `${json}, and fit this JSON schema:\n${JSON.stringify(form.schema)}`;
}

/** Before a planning call, which is made without tools. `done`: how many model calls there were. */
export function planNote(done: number): TurnNote {
  const text =
    done === 0
      ? '[Before you begin: write down a plan. What is known, what has to be found out, and which steps lead to the answer. Call no tools yet.]'
      : '[Pause here and bring your plan up to date. What is done, what was found out, and which steps are left. Call no tools now.]';
  return { kind: 'plan', text };
}

/** After it. */
export const carryOutNote: TurnNote = { kind: 'carry_out', text: '[Now go on and carry out this plan.]' };
/** After one that was asked for and did not come. */
export const noPlanNote: TurnNote = {
  kind: 'carry_out',
  text: '[No plan came. Go on without one: tools can be called again.]',
};
