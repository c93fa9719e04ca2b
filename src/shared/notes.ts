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

/** Before the closing call, which is made without tools. */
export function closingNote(why: 'max_iterations' | 'loop_detected'): TurnNote {
  const reason =
    why === 'max_iterations'
      ? 'The limit of model calls is reached'
      : 'The same calls were made again and again';
  return {
    kind: 'closing',
    text: `[${reason}, and no more tools can be called. Give your final answer now, with what you have found out. Say what is left to do.]`,
  };
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
