import type { FailureType } from './failures.js';
import type { JsonObject } from './json.js';
import type { Message, StopReason } from './messages.js';
import type { Usage } from './turn.js';

/** A tool as the model sees it. */
export type ToolDescription = {
  name: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  schema: JsonObject;
};

export type ModelRequest = {
  model: string;
  instructions: string;
  /** Valid: each tool call is answered by exactly one result, in order, in the message after it. */
  messages: readonly Message[];
  tools: readonly ToolDescription[];
};

export type ModelContext = {
  /** Fires when the turn is interrupted or the worker shuts down. */
  signal: AbortSignal;
  /** Which try of this model call this is, from 1. */
  attempt: number;
  /** To be called with each piece of text as it comes. */
  onText(text: string): void;
};

export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string; opaque?: string }
  /** `id` and `name` as the provider sent them, `arguments` as JSON text, which may be broken. */
  | { type: 'tool_call'; id: string; name: string; arguments: string };

export type ModelResponse = {
  content: ModelPart[];
  stopReason: StopReason;
  /** As the provider names it. */
  model: string;
  usage?: Usage;
};

/**
 * The one port to a provider. `call` resolves with a whole reply or throws a {@link ModelError};
 * a stream that ends without its ending is an error, so that nothing of it is run.
 */
export type Model = {
  /** The name that is used where a turn gives none. */
  name: string;
  call(request: ModelRequest, context: ModelContext): Promise<ModelResponse>;
  /** Called once while a worker starts: loads what the first call would else have to wait for. */
  prepare?(): Promise<void>;
};

/** What went wrong at the provider, and what to do: `retryable`, and after how many milliseconds. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly type: FailureType;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    type: FailureType,
    text: string,
    options: { retryable: boolean; retryAfterMs?: number | undefined; cause?: unknown },
  ) {
    super(text, { cause: options.cause });
    this.type = type;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
  }
}
