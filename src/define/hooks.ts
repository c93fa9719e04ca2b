import { type Duration, durationMs } from '../shared/duration.js';
import { HOOK_POINTS, type HookedTurn } from '../shared/hooks.js';
import type { JsonObject } from '../shared/json.js';
import type { Message, StopReason, ToolResultBlock } from '../shared/messages.js';
import type { ModelOptions } from '../shared/model-options.js';
import type { Usage } from '../shared/usage.js';

type MaybePromise<Value> = Value | Promise<Value>;
// biome-ignore lint/suspicious/noConfusingVoidType: a function that gives nothing back changes nothing.
type Decided<Value> = MaybePromise<Value | undefined | void>;

export type HookContext = {
  agent: string;
  turnId: string;
  /** Which model call of the turn, from 0; of the turn's end, how many there were. */
  iteration: number;
  /** The turn's metadata, as its starter gave it. */
  metadata: JsonObject;
  /** The same whenever this hook runs for this model call, tool call or turn: a crash may make it run again. */
  idempotencyKey: string;
  /** Which try of the activity this is, from 1. */
  attempt: number;
  /** Fires when the hook has taken too long, on an interrupt, and when the worker shuts down. */
  signal: AbortSignal;
  /** Recorded in the turn's history, and shown in its steps and events: 300 bytes of it. */
  note(text: string): void;
};

/** What is about to be sent. */
export type ModelCallAhead = {
  model: string;
  instructions: string;
  messages: readonly Message[];
  /** The names of the tools that the model is shown. */
  tools: readonly string[];
  options: ModelOptions;
};

export type ModelCallChange = {
  /** In place of the instructions, in this call. */
  instructions?: string;
  /** A text that the model reads after the last message, in this call only. */
  append?: string;
  /** Each goes before the turn's and the model's own, in this call. */
  options?: ModelOptions;
};

export type ModelCallDone = {
  model: string;
  text: string;
  stopReason: StopReason;
  calls: readonly { callId: string; name: string }[];
  usage?: Usage;
};

/** A call whose arguments fit the tool's schema. */
export type ToolCallAhead = { callId: string; name: string; arguments: JsonObject };

export type ToolCallDecision =
  /** It is not run, and the model reads why. */
  | { block: string }
  /** It runs with these, which must fit the schema, too. `ask`: as below. */
  | { arguments: JsonObject; ask?: string }
  /** A person is to approve it, for this reason. */
  | { ask: string };

export type ToolCallDone = ToolCallAhead & { result: ToolResultBlock; text: string };

export type ToolResultChange = {
  /** What the model reads in place of the result. */
  result?: string;
  /** What it reads after it. */
  append?: string;
};

/**
 * What an agent's hooks do, on the worker. What they decide is recorded; where a crash or a retry makes an activity run
 * again, they run again, with the same `idempotencyKey`.
 */
export type Hooks = {
  /** How records name it; default `hook 1`, by its place in the list. */
  name?: string;
  /** Of one call of one of its functions; default 30 seconds, at most 10 minutes. */
  timeout?: Duration;
  /** What it throws fails this try of the model call; the third time, the turn. */
  beforeModelCall?(call: ModelCallAhead, context: HookContext): Decided<ModelCallChange>;
  /** What it throws is recorded, and the reply is kept. */
  afterModelCall?(call: ModelCallDone, context: HookContext): Decided<never>;
  /** Before permissions decide. What it throws is an error result: the call is not run. */
  beforeToolCall?(call: ToolCallAhead, context: HookContext): Decided<ToolCallDecision>;
  /** What it throws is recorded, and the result is kept. */
  afterToolCall?(call: ToolCallDone, context: HookContext): Decided<ToolResultChange>;
  /** Once the turn has ended, however, but not after an interrupt or a cancel. What it throws is recorded. */
  afterTurn?(turn: HookedTurn, context: HookContext): Decided<never>;
};

/** Hooks with their name and timeout settled. */
export type NamedHooks = {
  readonly name: string;
  readonly timeoutMs: number;
  readonly hooks: Hooks;
};

const DEFAULT_TIMEOUT_MS = 30_000;
const LONGEST_TIMEOUT_MS = 600_000;
const FIELDS: readonly string[] = ['name', 'timeout', ...HOOK_POINTS];

/** Throws a TypeError or RangeError that names the owner and the fault: a misspelled point would never be called. */
export function hooksOf(owner: string, given: readonly Hooks[]): NamedHooks[] {
  if (!Array.isArray(given))
    throw new TypeError(`${owner}, hooks: give a list, as in hooks: [{ afterTurn() {} }].`);
  const named = given.map((hooks: Hooks, index) => namedHooks(owner, hooks, index));
  const twice = named.find(({ name }, index) => named.findIndex((each) => each.name === name) < index);
  if (twice)
    throw new TypeError(`${owner}, hooks: two of them are named ${twice.name}. Give each its own name.`);
  return named;
}

function namedHooks(owner: string, hooks: Hooks, index: number): NamedHooks {
  const what = `${owner}, hooks[${index}]`;
  if (typeof hooks !== 'object' || hooks === null)
    throw new TypeError(`${what}: expected an object of functions.`);
  const unknown = Object.keys(hooks).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined)
    throw new TypeError(`${what}: there is no "${unknown}"; there are ${FIELDS.join(', ')}.`);
  for (const point of HOOK_POINTS) {
    const given: unknown = hooks[point];
    if (given !== undefined && typeof given !== 'function')
      throw new TypeError(`${what}.${point}: expected a function.`);
  }
  const { name = `hook ${index + 1}`, timeout = DEFAULT_TIMEOUT_MS } = hooks;
  if (typeof name !== 'string' || !/^[\w .:/-]{1,64}$/.test(name))
    throw new TypeError(`${what}.name: use 1 to 64 letters, digits, spaces and . _ : / -.`);
  const timeoutMs = durationMs(`${what}.timeout`, timeout);
  if (timeoutMs > LONGEST_TIMEOUT_MS) throw new RangeError(`${what}.timeout: at most 10 minutes.`);
  return { name, timeoutMs, hooks };
}
