import { z } from 'zod';

// Message and block ids are given when the thing is made and never change; `content` is always a list of blocks.

const textBlock = z.strictObject({
  type: z.literal('text'),
  id: z.string(),
  text: z.string(),
  /** The stream was cut by an interrupt: this is all that came. */
  partial: z.exactOptional(z.literal(true)),
});

const imageBlock = z.strictObject({
  type: z.literal('image'),
  id: z.string(),
  mediaType: z.string(),
  /** Base64. */
  data: z.string(),
});

const reasoningBlock = z.strictObject({
  type: z.literal('reasoning'),
  id: z.string(),
  text: z.string(),
  /** What the provider wants back unread: a signature, or an encrypted item. */
  opaque: z.exactOptional(z.string()),
});

const toolCallBlock = z.strictObject({
  type: z.literal('tool_call'),
  /** Unique in the transcript; `[a-zA-Z0-9_-]`, at most 64 characters. */
  id: z.string(),
  /** The tool's name, fit for every provider: `^[a-zA-Z0-9_-]{1,64}$`. */
  name: z.string(),
  /** The JSON text exactly as the model wrote it; it may be broken. */
  arguments: z.string(),
  /** The id that the provider gave, where it differs from ours. */
  providerId: z.exactOptional(z.string()),
  /** The name that the model wrote, where it differs from ours. */
  requestedName: z.exactOptional(z.string()),
});

const toolResultStatus = z.enum(['ok', 'error', 'denied', 'interrupted', 'unknown']);

/** Why a call has no ordinary result; for machines, as the text is for the model. */
const toolResultCause = z.enum([
  'tool_threw',
  'timed_out',
  'unknown_tool',
  'invalid_json',
  'invalid_arguments',
  'cut_by_output_limit',
  'cut_by_refusal',
  'not_started',
  'was_running',
  'may_still_run',
  'worker_lost',
  'did_not_happen',
  'denied_by_person',
  'denied_by_rule',
  'no_result_recorded',
]);

const toolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  /** The id of the call that this answers. */
  callId: z.string(),
  name: z.string(),
  status: toolResultStatus,
  content: z.array(z.discriminatedUnion('type', [textBlock, imageBlock])),
  cause: z.exactOptional(toolResultCause),
  /** Wall-clock time of the tool's body, in milliseconds; absent where it did not run to its end. */
  durationMs: z.exactOptional(z.number()),
});

const systemMessage = z.strictObject({
  role: z.literal('system'),
  id: z.string(),
  content: z.array(textBlock),
});

const userMessage = z.strictObject({
  role: z.literal('user'),
  id: z.string(),
  content: z.array(z.discriminatedUnion('type', [textBlock, imageBlock])),
});

const stopReason = z.enum(['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'refusal', 'pause']);

const assistantMessage = z.strictObject({
  role: z.literal('assistant'),
  id: z.string(),
  content: z.array(z.discriminatedUnion('type', [textBlock, reasoningBlock, toolCallBlock])),
  /** Why the model stopped; absent on a reply that was cut by an interrupt. */
  stopReason: z.exactOptional(stopReason),
  model: z.exactOptional(z.string()),
});

const toolMessage = z.strictObject({
  role: z.literal('tool'),
  id: z.string(),
  /** One result for each call of the assistant message before, in the order of the calls. */
  content: z.array(toolResultBlock),
});

export const message = z.discriminatedUnion('role', [
  systemMessage,
  userMessage,
  assistantMessage,
  toolMessage,
]);

export type TextBlock = z.infer<typeof textBlock>;
export type ImageBlock = z.infer<typeof imageBlock>;
export type ToolCallBlock = z.infer<typeof toolCallBlock>;
export type ToolResultBlock = z.infer<typeof toolResultBlock>;
export type ToolResultStatus = z.infer<typeof toolResultStatus>;
export type ToolResultCause = z.infer<typeof toolResultCause>;
export type UserBlock = TextBlock | ImageBlock;
export type AssistantMessage = z.infer<typeof assistantMessage>;
export type ToolMessage = z.infer<typeof toolMessage>;
export type StopReason = z.infer<typeof stopReason>;
export type Message = z.infer<typeof message>;

/** The text of a message: its text blocks, joined; `''` where it has none. */
export function textOf(from: Message): string {
  if (from.role === 'tool') return '';
  return from.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

export function toolCallsOf(from: Message): ToolCallBlock[] {
  return from.role === 'assistant' ? from.content.filter((block) => block.type === 'tool_call') : [];
}

/** A text as the content of a result or a message; the block's id is `<owner>.0`. */
export function textContent(owner: string, text: string): TextBlock[] {
  return [{ type: 'text', id: `${owner}.0`, text }];
}
