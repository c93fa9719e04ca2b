import type { OutputRequest } from './activities.js';
import { FINAL_ANSWER, refusedText } from './final-answer.js';
import type { SteerMessage } from './interventions.js';
import type { JsonObject } from './json.js';
import { type AssistantMessage, type Message, textContent } from './messages.js';
import { blocksOf } from './prompt-parts.js';
import { reconcile } from './transcript.js';
import type { TurnInput } from './turn-input.js';

// Ids that the workflow gives come from the first run's id: the event history has it, too, so that a transcript
// which is rebuilt from the history is the same to the letter.

export function ownId(kind: string, firstRunId: string): string {
  return `${kind}_${firstRunId.replaceAll('-', '').slice(0, 16)}`;
}

/** A turn's transcript before its first model call: what the caller handed in, mended, then the prompt. */
export function openingMessages(
  input: Pick<TurnInput, 'instructions' | 'transcript' | 'prompt' | 'attachments'>,
  firstRunId: string,
): { messages: Message[]; deltaFrom: number } {
  const messages: Message[] = [];
  if (input.instructions !== undefined) messages.push(instructionsMessage(firstRunId, input.instructions));
  messages.push(...reconcile(input.transcript ?? []));
  const id = ownId('u', firstRunId);
  const content = [...textContent(id, input.prompt), ...blocksOf(id, 1, input.attachments ?? [])];
  const prompt: Message = { role: 'user', id, content };
  return { messages: [...messages, prompt], deltaFrom: messages.length };
}

/** Instructions that are the turn's own. */
export function instructionsMessage(firstRunId: string, instructions: string): Message {
  const id = ownId('s', firstRunId);
  return { role: 'system', id, content: textContent(id, instructions) };
}

/** What had come of a reply when an interrupt cut it. */
export function partialReply(firstRunId: string, iteration: number, text: string): AssistantMessage {
  const id = `${ownId('a', firstRunId)}_${iteration}`;
  return { role: 'assistant', id, content: [{ type: 'text', id: `${id}.0`, text, partial: true }] };
}

/** Asks for the turn's output, before the model call of that number. Undefined where the turn has none to be asked for. */
export function outputRequestMessage(
  firstRunId: string,
  iteration: number,
  schema: JsonObject | undefined,
  request: OutputRequest,
): Message | undefined {
  const id = `${ownId('o', firstRunId)}_${iteration}`;
  const text = requestText(schema, request);
  return text === undefined ? undefined : { role: 'user', id, content: textContent(id, text) };
}

function requestText(schema: JsonObject | undefined, { kind, problems }: OutputRequest): string | undefined {
  if (kind === 'refused') return refusedText(problems.join('\n'));
  if (kind === 'call') {
    return `Your reply called no tool. If you are done, give your final answer by calling ${FINAL_ANSWER}; else go on with your tools.`;
  }
  if (!schema) return undefined;
  return [
    'Now give your final answer as JSON, and nothing else: no other text and no tool calls.',
    `It must fit this JSON schema:\n${JSON.stringify(schema)}`,
    ...(problems.length > 0 ? [`Your last answer did not:\n${problems.join('\n')}`] : []),
  ].join('\n\n');
}

/** A steering message as the model sees it. */
export function steerMessage({ id, message }: SteerMessage): Message {
  const messageId = `steer_${id}`;
  return { role: 'user', id: messageId, content: textContent(messageId, message) };
}

const CUT: Record<string, string> = {
  interrupted: '[The user interrupted the turn here.]',
  canceled: '[The turn was canceled here.]',
  budget_exceeded: '[The turn had used up what it may use, and ended here.]',
};

/**
 * What the transcript of a turn ends with that was cut short, so that the next turn knows: nothing where tool results tell
 * of it or where the round was complete, else a note in the user's name. `outcome`: how it ended.
 */
export function interruptionNote(
  lastRole: Message['role'] | undefined,
  firstRunId: string,
  outcome: string,
): Message | undefined {
  const text = CUT[outcome];
  if (text === undefined || lastRole === 'tool') return undefined;
  const id = ownId('n', firstRunId);
  return { role: 'user', id, content: textContent(id, text) };
}

/** Whether the message is such a note, and not somebody's words. */
export function isInterruptionNote({ role, id, content }: Message): boolean {
  const [block] = content;
  const text = block?.type === 'text' ? block.text : '';
  return role === 'user' && id.startsWith('n_') && Object.values(CUT).includes(text);
}
