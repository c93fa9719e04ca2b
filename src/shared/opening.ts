import { type AssistantMessage, type Message, textContent } from './messages.js';
import { reconcile } from './transcript.js';
import type { TurnInput } from './turn.js';

// Ids that the workflow gives come from the first run's id: the event history has it, too, so that a transcript
// which is rebuilt from the history is the same to the letter.

function ownId(kind: string, firstRunId: string): string {
  return `${kind}_${firstRunId.replaceAll('-', '').slice(0, 16)}`;
}

/** A turn's transcript before its first model call: what the caller handed in, mended, then the prompt. */
export function openingMessages(
  input: Pick<TurnInput, 'instructions' | 'transcript' | 'prompt'>,
  firstRunId: string,
): { messages: Message[]; deltaFrom: number } {
  const messages: Message[] = [];
  if (input.instructions !== undefined) {
    const id = ownId('s', firstRunId);
    messages.push({ role: 'system', id, content: textContent(id, input.instructions) });
  }
  messages.push(...reconcile(input.transcript ?? []));
  const id = ownId('u', firstRunId);
  const prompt: Message = { role: 'user', id, content: textContent(id, input.prompt) };
  return { messages: [...messages, prompt], deltaFrom: messages.length };
}

/** What had come of a reply when an interrupt cut it. */
export function partialReply(firstRunId: string, iteration: number, text: string): AssistantMessage {
  const id = `${ownId('a', firstRunId)}_${iteration}`;
  return { role: 'assistant', id, content: [{ type: 'text', id: `${id}.0`, text, partial: true }] };
}
