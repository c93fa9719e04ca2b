import type { z } from 'zod';
import type { Effects, Subject } from '../permissions/judged-call.js';
import { type ArtifactRef, type ArtifactSource, READ_ARTIFACT } from '../shared/artifacts.js';
import type { Duration } from '../shared/duration.js';
import type { JsonObject } from '../shared/json.js';
import type { McpPlace, ToolAnnotations } from '../shared/mcp.js';
import { type Policy, PRESENT_PLAN } from '../shared/permissions.js';
import type { RemotePlace } from '../shared/remote-tools.js';
import type { Agent } from './define-agent.js';
import { makeTool } from './make-tool.js';
import type { RetryOptions, ToolRetry } from './tool-retry.js';

/** The answer of `reconcile` that says: it did not happen. */
export const notDone: unique symbol = Symbol.for('holdfast.notDone');

type MaybePromise<Value> = Value | Promise<Value>;

export type SetupContext = {
  /** Fires when it has taken longer than the tool's timeout, and when the worker shuts down. */
  signal: AbortSignal;
};

/** `Setup`: what the tool's `setup` made. */
export type ToolContext<Setup = unknown> = {
  /** Fires on an interrupt, a timeout, or when this attempt has lost its lease. A tool should end soon after. */
  signal: AbortSignal;
  /** The same on every attempt of this call, different for every other call: to be sent to what it pays or posts to. */
  idempotencyKey: string;
  /** Shows what the tool is doing to those who watch. Cheap; the last text wins. */
  progress(text: string): void;
  /**
   * Keeps the whole of what the result shows only a part of, outside Temporal, for the model to read with
   * `read_artifact`: the result gets a note that says how. Once a call. Throws where it can't be stored.
   */
  saveArtifact(content: string | Uint8Array | ArtifactSource): Promise<ArtifactRef>;
  turnId: string;
  callId: string;
  /** From 1; above 1 only for a tool that is idempotent or that asked for a retry. */
  attempt: number;
  /** The turn's metadata, as its starter gave it. */
  metadata: JsonObject;
  /** What the tool's `setup` made, in this worker. */
  setup: Setup;
};

export type ToolOptions<
  Input extends z.ZodType,
  Result,
  Setup = undefined,
  Output extends z.ZodType = z.ZodType,
> = {
  /** `^[a-zA-Z0-9_-]{1,64}$`; also the activity type that the Web UI shows. */
  name: string;
  /** What the model reads to decide when to call it. */
  description: string;
  /** A zod object: checked before the tool runs; the model reads its JSON schema. */
  input: Input;
  /**
   * What `run` must return, any type of zod that a JSON schema can say: it is checked, and the model reads what the check
   * gives, as JSON. What does not fit is an error result that tells the places, and what was returned.
   */
  output?: Output;
  /** It may safely run twice. Default false: then it never runs twice, and a crash in its middle is told to the model. */
  idempotent?: boolean;
  /** From its start to its end; default 10 minutes, of a local one a second. */
  timeout?: Duration;
  /** `local`, for idempotent tools of a second at most: within the workflow task. Default `activity`. */
  execution?: 'activity' | 'local';
  /** May run beside other calls of the same reply; default true. */
  parallel?: boolean;
  /** Making the same call again and again is what it is for, as when it waits for something: the loop guard lets it. */
  repeatable?: boolean;
  /**
   * Calls of one reply that have the same key, of whichever tools, run one after another, as the model asked. Called when
   * the call is planned; what it throws is an error result. With `parallel: false` a call may run beside those that have
   * other keys. `undefined`: it has none. Turns don't wait for each other.
   */
  concurrencyKey?(args: z.output<Input>): MaybePromise<string | undefined>;
  /** What it throws is tried again, for an idempotent tool only. Default: the model reads it at once. */
  retry?: RetryOptions;
  /**
   * Run once a worker, when the first call needs it, for all calls of all tools with the same `setup`. What it throws is
   * an error result, and the next call tries again. What it gives is disposed of with the worker, where it has a
   * `Symbol.asyncDispose` or a `Symbol.dispose`. In the options, write it before what uses it: TypeScript infers in order.
   */
  setup?(context: SetupContext): MaybePromise<Setup>;
  /**
   * Whether a call may run: at once (`allow`), once a person has approved it (`ask`), or never (`deny`); or a function of
   * its arguments that says so, which is called when the call is planned. What it throws is an error result. Default: the
   * agent's permissions say; where it has none, `allow`.
   */
  approval?: Policy | ((args: z.output<Input>) => MaybePromise<Policy>);
  /** What a call may do, for the modes of permissions: `none` only reads; `edits` changes files. Default `any`. */
  effects?: Effects;
  /** The argument that rules are about, where it is a shell command or the path of a file. Default: its texts. */
  subject?: Subject;
  /**
   * The provider holds the model to the schema, where it can (OpenAI's strict mode). Default: where the schema allows it.
   * `true` refuses, when the tool is defined, a schema that doesn't; `false` never asks for it.
   */
  strict?: boolean;
  /**
   * Returns what the model is to read: a string, or anything that JSON can carry. Whatever it throws becomes an
   * error result, which the model reads; only `retryable(...)` makes Temporal start it again.
   */
  run(args: z.output<Input>, context: ToolContext<NoInfer<Setup>>): MaybePromise<Result>;
  /** Asked when the worker died in the middle of `run`: what `run` would have returned, or `notDone`. */
  reconcile?(
    key: string,
    args: z.output<Input>,
    context: Pick<ToolContext<NoInfer<Setup>>, 'setup'>,
  ): MaybePromise<Reconciled<Result, Output> | typeof notDone>;
};

/** What `run` returns, or what else the output allows. */
type Reconciled<Result, Output extends z.ZodType> = [z.ZodType] extends [Output]
  ? NoInfer<Result>
  : z.input<Output>;

/** A tool, ready for an agent's `tools`. Made by {@link defineTool}. */
// biome-ignore lint/suspicious/noExplicitAny: who holds a tool need not know what it sets up.
export type Tool<Input extends z.ZodType = z.ZodType, Result = unknown, Setup = any> = {
  readonly kind: 'tool';
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly schema: JsonObject;
  readonly schemaHash: string;
  readonly strict: boolean;
  /** Why its schema is none for strict mode. */
  readonly notStrictBecause?: string;
  readonly idempotent: boolean;
  readonly timeoutMs: number;
  readonly parallel: boolean;
  readonly repeatable?: true;
  readonly output?: z.ZodType;
  readonly outputSchema?: JsonObject;
  readonly retry?: ToolRetry;
  /** The tool is this agent: a call of it is a turn. */
  readonly agent?: Agent;
  /** Of a tool of an MCP server: what that says of it, and where it is. */
  readonly annotations?: ToolAnnotations;
  readonly mcp?: McpPlace;
  readonly remote?: RemotePlace;
  readonly local?: true;
  /** It may be called, and the model is not shown it. */
  readonly hidden?: true;
  readonly approval?: Policy | ((args: z.output<Input>) => MaybePromise<Policy>);
  readonly effects?: Effects;
  readonly subject?: Subject;
  /** It is not run: a person gives its result. */
  readonly asksPeople?: true;
  /** It is not run: it gives the turn's answer. */
  readonly givesAnswer?: true;
  /** It is not run: the turn sleeps, this long at most. */
  readonly sleeps?: { readonly maxMs: number };
  concurrencyKey?(args: z.output<Input>): MaybePromise<string | undefined>;
  setup?(context: SetupContext): MaybePromise<Setup>;
  run(args: z.output<Input>, context: ToolContext<Setup>): MaybePromise<Result>;
  reconcile?(
    key: string,
    args: z.output<Input>,
    context: Pick<ToolContext<Setup>, 'setup'>,
  ): MaybePromise<Result | typeof notDone>;
};

/**
 * Makes a tool. Throws a TypeError that names the tool and the fault when it can't work: a name that providers
 * refuse, an input that is no object or has no JSON schema (a date, a bigint, a symbol, a function), `strict: true`
 * with a schema that strict mode does not know, or a `retry` of a tool that may run only once.
 */
export function defineTool<
  Input extends z.ZodType,
  Result extends z.input<Output>,
  Setup = undefined,
  Output extends z.ZodType = z.ZodType,
>(options: ToolOptions<Input, Result, Setup, Output>): Tool<Input, Result, Setup> {
  const { name } = options;
  if (name === READ_ARTIFACT || name === PRESENT_PLAN) {
    throw new TypeError(`Tool name "${name}": every agent has a tool of that name, Holdfast's own.`);
  }
  return makeTool(options);
}
