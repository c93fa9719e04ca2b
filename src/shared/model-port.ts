import type { FailureType } from './failures.js';
import type { JsonObject } from './json.js';
import type { Message, StopReason } from './messages.js';
import type { ModelOptions } from './model-options.js';
import type { UnknownUsage, Usage } from './usage.js';

/** A tool as the model sees it. */
export type ToolDescription = {
  name: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  schema: JsonObject;
  /** The provider is to hold the model to the schema; only for schemas that strict mode allows. Default false. */
  strict?: boolean;
};

/** What a reply without calls must fit: JSON of this schema. */
export type OutputFormat = {
  /** `[a-zA-Z0-9_-]`, at most 64 characters. */
  name: string;
  schema: JsonObject;
  strict: boolean;
};

export type ModelRequest = {
  model: string;
  instructions: string;
  /** Valid: each tool call is answered by exactly one result, in order, in the message after it. */
  messages: readonly Message[];
  tools: readonly ToolDescription[];
  /** What a reply without calls must be. A model whose endpoint does not know this leaves it out. */
  output?: OutputFormat;
  /** Goes before all options. */
  toolChoice?: 'none' | 'auto' | 'required';
  /** The turn's own; each goes before what the model was made with. */
  options?: ModelOptions;
};

/** The memory of a call that outlives its process, so that the next try goes on with what this one began. */
export type Resume = {
  /** What the try before this one had set; undefined where there is nothing to go on with. */
  get(): string | undefined;
  /** Resolves once it is durable; `''` forgets it. */
  set(id: string): Promise<void>;
  /** After an abort: whether another try will go on with it, as when the worker leaves. Then it is not to be ended. */
  goesOn(): boolean;
};

/** `untilAt`: when its limits are looked at again, in milliseconds since 1970; absent before it is the first in line. */
export type Wait = { untilAt?: number };

export type ModelContext = {
  /** Fires when the turn is interrupted or the worker shuts down. */
  signal: AbortSignal;
  /** Which try of this model call this is, from 1. */
  attempt: number;
  /** How many of the tries before died of a fault of this type. */
  faultsBefore?(type: FailureType): number;
  /** To be called with each piece of text as it comes. */
  onText(text: string): void;
  /** Where the caller can keep an id; without it a call begins anew with each try. */
  resume?: Resume;
  /**
   * To be told that the request waits for its turn, and that it goes out: what is ended while it waits has cost nothing.
   */
  onStage?(stage: 'waiting' | 'sent'): void;
  /** To be told of each request that came to nothing while the call goes on by another one. */
  onSpent?(usage: Usage | UnknownUsage | undefined): void;
  /**
   * Where the provider has asked for a longer wait than this, in milliseconds, a call that waits for its turn is to fail
   * with `Model.RateLimited` in place of waiting so long: the caller has another model. Absent: it waits.
   */
  longestWaitMs?: number;
  /** To be told when the call waits for its turn by limits of this process; undefined: no longer. */
  onWait?(wait: Wait | undefined): void;
};

/** `opaque` is what the provider wants back unread: a signature, an encrypted item. */
export type ModelPart =
  | { type: 'text'; text: string; opaque?: string }
  | { type: 'reasoning'; text: string; opaque?: string }
  /** `id` and `name` as the provider sent them, `arguments` as JSON text, which may be broken. */
  | { type: 'tool_call'; id: string; name: string; arguments: string; opaque?: string };

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
  /**
   * For turns with a limit of costs: which model that a call may go to has no price, asked for by this name. Undefined for
   * none. A model that can't tell before a reply leaves it out.
   */
  unpriced?(name: string): string | undefined;
  /** Called once while a worker starts: loads what the first call would else have to wait for. */
  prepare?(): Promise<void>;
  /** Ends at the provider what a call began and kept as its `Resume`, as nobody will go on with it. Never throws. */
  cancel?(id: string): Promise<void>;
};

/**
 * What went wrong at the provider, and what to do: `retryable`, after how many milliseconds, and how many tries of the
 * call may die of a fault of this type.
 *
 * An agent's module may load another copy of this class than the worker that serves it: both are one.
 */
export class ModelError extends Error {
  static override [Symbol.hasInstance](thrown: unknown): boolean {
    return thrown instanceof Error && thrown.name === 'ModelError';
  }

  override readonly name = 'ModelError';
  readonly type: FailureType;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly maxAttempts: number | undefined;
  /** What the failed call cost; absent where it had not got as far. Whoever knows more may set it. */
  usage: Usage | UnknownUsage | undefined;

  constructor(
    type: FailureType,
    text: string,
    options: {
      retryable: boolean;
      retryAfterMs?: number | undefined;
      maxAttempts?: number | undefined;
      usage?: Usage | UnknownUsage | undefined;
      cause?: unknown;
    },
  ) {
    super(text, { cause: options.cause });
    this.type = type;
    this.retryable = options.retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.maxAttempts = options.maxAttempts;
    this.usage = options.usage;
  }
}
