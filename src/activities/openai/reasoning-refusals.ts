import { APIError } from 'openai/core/error';
import type { AssistantMessage, Message } from '../../shared/messages.js';
import { saidBy } from './classify-error.js';
import type { Place } from './origin.js';

type Asked = {
  place: Place;
  messages: readonly Message[];
  /** The request can be written with reasoning in each message. */
  canGiveMore: boolean;
};

/** What this process has learned: messages as they may go to the place that refused their reasoning. */
const stripped = new WeakMap<Message, { at: string; message: Message }>();
/** A long transcript is not to be looked through where nothing was ever refused. */
let hasStripped = false;
/** Places that refuse messages without reasoning. */
const demanding = new Set<string>();

/** Kimi, DeepSeek: "reasoning_content is missing in", "Missing `reasoning_content` field", "must be passed back". */
const MISSING =
  /missing .{0,3}reasoning|reasoning.{0,80}(?:is missing|must be (?:passed|sent|provided))|must include .{0,3}reasoning/i;
/** OpenAI's code and words; Groq, Mistral and others of a field that they don't know; signatures of Anthropic, Gemini. */
const UNWANTED =
  /encrypted.content|reasoning_(?:content|details)|['"`]reasoning['"`]|thought.?signature|invalid.{0,3}signature|signature.{0,40}(?:in|not )valid/i;
const MAX_SAID_CHARACTERS = 8000;

/**
 * Sends a request, and once more where it was refused for the reasoning in it, or for the want of it: `send` has to
 * write it anew, by {@link acceptable} and {@link demandsReasoning}. Without this, a conversation that went on with
 * another model, account or key would be refused for ever.
 */
export async function sendWithReasoning(asked: Asked, send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof APIError) || !learnFrom(error, asked)) throw error;
    return await send();
  }
}

/** The messages, without the reasoning that this place has refused. */
export function acceptable(messages: readonly Message[], place: Place): readonly Message[] {
  if (!hasStripped) return messages;
  const at = keyOf(place);
  return messages.map((message) => {
    const without = stripped.get(message);
    return without?.at === at ? without.message : message;
  });
}

export function demandsReasoning(place: Place): boolean {
  return demanding.has(keyOf(place));
}

/** Returns whether the request will be another one. */
function learnFrom(error: APIError, { place, messages, canGiveMore }: Asked): boolean {
  if (error.status !== 400 && error.status !== 422 && error.code !== 'invalid_encrypted_content')
    return false;
  const at = keyOf(place);
  const said = `${error.code} ${saidBy(error)}`.slice(0, MAX_SAID_CHARACTERS);
  if (MISSING.test(said)) {
    if (!canGiveMore || demanding.has(at)) return false;
    demanding.add(at);
    return true;
  }
  if (!UNWANTED.test(said)) return false;
  const refused = messages.filter(hasReasoning).filter((message) => stripped.get(message)?.at !== at);
  for (const message of refused) stripped.set(message, { at, message: withoutReasoning(message) });
  hasStripped ||= refused.length > 0;
  return refused.length > 0;
}

function hasReasoning(message: Message): message is AssistantMessage {
  return (
    message.role === 'assistant' &&
    message.content.some((block) => block.type === 'reasoning' || isSigned(block))
  );
}

function withoutReasoning(message: AssistantMessage): AssistantMessage {
  const content = message.content.flatMap((block) => {
    if (block.type === 'reasoning') return [];
    if (!isSigned(block)) return [block];
    const { opaque: _signature, ...rest } = block;
    return [rest];
  });
  return { ...message, content };
}

function isSigned(block: AssistantMessage['content'][number]): boolean {
  return block.type === 'tool_call' && block.opaque !== undefined;
}

function keyOf({ origin, model }: Place): string {
  return `${origin} ${model}`;
}
