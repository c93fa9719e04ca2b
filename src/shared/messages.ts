import { areNamedArtifacts, type NamedArtifact } from './artifact-names.js';
import { type ArtifactRef, isArtifactRef } from './artifacts.js';
import { type Check, isListOf, isNumber, isOneOf, isShape, isText, isVariant } from './shape.js';

// Message and block ids are given when the thing is made and never change; `content` is always a list of blocks.

export type TextBlock = {
  type: 'text';
  id: string;
  text: string;
  /** The stream was cut by an interrupt: this is all that came. */
  partial?: true;
  /** What the provider wants back unread. */
  opaque?: string;
};

/** `data` is base64; an image with a `url` is fetched by the provider. */
export type ImageBlock = { type: 'image'; id: string } & (
  | { mediaType: string; data: string; url?: never }
  | { url: string; mediaType?: never; data?: never }
);

export type FileBlock = {
  type: 'file';
  id: string;
  name: string;
  mediaType: string;
  /** Base64. */
  data: string;
};

export type ReasoningBlock = {
  type: 'reasoning';
  id: string;
  text: string;
  /** What the provider wants back unread: a signature, or an encrypted item. */
  opaque?: string;
};

export type ToolCallBlock = {
  type: 'tool_call';
  /** Unique in the transcript; `[a-zA-Z0-9_-]`, at most 64 characters. */
  id: string;
  /** The tool's name, fit for every provider: `^[a-zA-Z0-9_-]{1,64}$`. */
  name: string;
  /** The JSON text exactly as the model wrote it; it may be broken. A short form of it where there is an artifact. */
  arguments: string;
  /** Where the whole of arguments that are too long for an event history is kept. The model is sent the whole. */
  argumentsArtifact?: ArtifactRef;
  /** The id that the provider gave, where it differs from ours. */
  providerId?: string;
  /** The name that the model wrote, where it differs from ours. */
  requestedName?: string;
  /** What the provider wants back unread, such as a signature. */
  opaque?: string;
};

const TOOL_RESULT_STATUSES = ['ok', 'error', 'denied', 'interrupted', 'unknown'] as const;
export type ToolResultStatus = (typeof TOOL_RESULT_STATUSES)[number];
/** Of a call that may still have to get its result. */
const TOOL_RESULT_CAUSES = [
  'tool_threw',
  'setup_failed',
  'invalid_result',
  'timed_out',
  'unknown_tool',
  'invalid_json',
  'invalid_arguments',
  'arguments_not_kept',
  'no_such_artifact',
  'not_alone',
  'answer_refused',
  'cut_by_output_limit',
  'cut_by_refusal',
  'not_callable_now',
  'not_started',
  'was_running',
  'may_still_run',
  'worker_lost',
  'server_lost',
  'no_worker',
  'did_not_happen',
  'too_deep',
  'sub_agent_limit',
  'sub_agent_failed',
  'denied_by_person',
  'denied_by_rule',
  'denied_by_timeout',
  'approval_failed',
  'blocked_by_hook',
  'hook_failed',
  'concurrency_key_failed',
  'not_answered',
  'no_result_recorded',
] as const;
/** Why a call has no ordinary result; for machines, as the text is for the model. */
export type ToolResultCause = (typeof TOOL_RESULT_CAUSES)[number];

export type ToolResultBlock = {
  type: 'tool_result';
  /** The id of the call that this answers. */
  callId: string;
  name: string;
  status: ToolResultStatus;
  content: (TextBlock | ImageBlock)[];
  cause?: ToolResultCause;
  /** Where the whole of a result is kept of which `content` has a part; `read_artifact` reads it. */
  artifact?: ArtifactRef;
  /** What the tool has given out under a name, for other tools to take. */
  artifacts?: NamedArtifact[];
  /** Wall-clock time of the tool's body, in milliseconds; absent where it did not run to its end. */
  durationMs?: number;
};

const STOP_REASONS = ['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'refusal', 'pause'] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export type UserBlock = TextBlock | ImageBlock | FileBlock;
type SystemMessage = { role: 'system'; id: string; content: TextBlock[] };
export type UserMessage = {
  role: 'user';
  id: string;
  content: UserBlock[];
  /** It is a summary, and stands for these messages. */
  covers?: Covers;
};
/** From the id of the first message to that of the last, and how many they are. */
export type Covers = {
  from: string;
  to: string;
  count: number;
  /** All of them, a line of JSON each; an earlier summary is among them, with its own. */
  artifact?: ArtifactRef;
};
export type AssistantMessage = {
  role: 'assistant';
  id: string;
  content: (TextBlock | ReasoningBlock | ToolCallBlock)[];
  /** Why the model stopped; absent on a reply that was cut by an interrupt. */
  stopReason?: StopReason;
  model?: string;
};
/** One result for each call of the assistant message before, in the order of the calls. */
export type ToolMessage = { role: 'tool'; id: string; content: ToolResultBlock[] };
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

const text = isShape({ type: isText, id: isText, text: isText }, { partial: isOneOf(true), opaque: isText });
const imageByData = isShape({ type: isText, id: isText, mediaType: isText, data: isText });
const imageByUrl = isShape({ type: isText, id: isText, url: isText });
const image: Check = (value, path) =>
  typeof value === 'object' && value !== null && 'url' in value
    ? imageByUrl(value, path)
    : imageByData(value, path);
const file = isShape({ type: isText, id: isText, name: isText, mediaType: isText, data: isText });
const reasoning = isShape({ type: isText, id: isText, text: isText }, { opaque: isText });
const toolCall = isShape(
  { type: isText, id: isText, name: isText, arguments: isText },
  { argumentsArtifact: isArtifactRef, providerId: isText, requestedName: isText, opaque: isText },
);
const shown = isListOf(isVariant('type', { text, image }));
const toolResult = isShape(
  { type: isText, callId: isText, name: isText, status: isOneOf(...TOOL_RESULT_STATUSES), content: shown },
  {
    cause: isOneOf(...TOOL_RESULT_CAUSES),
    artifact: isArtifactRef,
    artifacts: areNamedArtifacts,
    durationMs: isNumber,
  },
);
const role = isText;
const covers = isShape({ from: isText, to: isText, count: isNumber }, { artifact: isArtifactRef });

/** Of a message that somebody hands in. */
export const isMessage: Check = isVariant('role', {
  system: isShape({ role, id: isText, content: isListOf(isVariant('type', { text })) }),
  user: isShape(
    { role, id: isText, content: isListOf(isVariant('type', { text, image, file })) },
    { covers },
  ),
  assistant: isShape(
    { role, id: isText, content: isListOf(isVariant('type', { text, reasoning, tool_call: toolCall })) },
    { stopReason: isOneOf(...STOP_REASONS), model: isText },
  ),
  tool: isShape({ role, id: isText, content: isListOf(isVariant('type', { tool_result: toolResult })) }),
});

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
