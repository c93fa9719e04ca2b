import { ApplicationFailure } from '@temporalio/activity';
import type { Agent } from '../define/define-agent.js';
import type { CallModelInput } from '../shared/activities.js';
import { type Message, textOf } from '../shared/messages.js';
import { errorText, wireText } from '../shared/wire-text.js';

/** They are recorded in one payload, beside the reply. */
const MAX_BYTES = 500_000;

/** `recorded`: they were worked out for this turn, which is to keep them. */
export type Instructions = { text: string; recorded?: true };

/**
 * What the model is told before the conversation. What the transcript begins with goes before the agent's own. A
 * function of the agent's is asked until a first model call has answered, and then never again in this turn.
 */
export async function instructionsFor(
  { name, instructions }: Agent,
  { turnId, metadata = {} }: CallModelInput,
  messages: readonly Message[],
): Promise<Instructions> {
  if (messages.some((message) => message.role === 'system')) return { text: '' };
  if (typeof instructions === 'string') return { text: instructions };
  const last = messages.findLast((message) => message.role === 'user');
  const text: unknown = await asked(name, () =>
    instructions({ prompt: last ? textOf(last) : '', turnId, metadata }),
  );
  if (typeof text !== 'string') throw refused(name, `they are no text but ${typeof text}`);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_BYTES) throw refused(name, `they take ${bytes} bytes, and may take ${MAX_BYTES}`);
  return { text, recorded: true };
}

async function asked(name: string, ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch (error) {
    throw failure(name, errorText(error), false);
  }
}

function refused(name: string, why: string): ApplicationFailure {
  return failure(name, why, true);
}

function failure(name: string, why: string, nonRetryable: boolean): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'Agent.InstructionsFailed',
    message: wireText(`The instructions of the agent "${name}" could not be made: ${why}`),
    nonRetryable,
  });
}
