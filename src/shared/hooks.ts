import type { NewEvent } from './events.js';
import type { Json, JsonObject } from './json.js';
import type { ToolResultBlock } from './messages.js';
import { answer } from './tool-results.js';
import type { OutcomeType, TurnOutcome } from './turn.js';
import type { TurnUsage } from './usage.js';
import { wireText } from './wire-text.js';

/** The activity types of hooks that run in none of the others. */
export const AFTER_TURN = 'holdfast.afterTurn';
export const AFTER_CALL = 'holdfast.afterCall';

export const HOOK_POINTS = [
  'beforeModelCall',
  'afterModelCall',
  'beforeToolCall',
  'afterToolCall',
  'afterTurn',
] as const;
export type HookPoint = (typeof HOOK_POINTS)[number];

/** What a hook did; recorded in the result of the activity that it ran in. One that changed nothing leaves none. */
export type HookRecord = {
  /** Its name. */
  hook: string;
  point: HookPoint;
  /** Of a tool call. */
  callId?: string;
  /** `asked`: for a person's approval. `failed`: it threw, or took too long. */
  did: 'changed' | 'asked' | 'blocked' | 'noted' | 'failed';
  /** The reason, the note or the error; of a change, what was changed. The first 300 bytes. */
  text?: string;
};

/** Of the agent's hooks, what the workflow has to know; recorded with the turn's settings. */
export type HookSettings = {
  /** What hooks after a tool call may take together, in milliseconds; absent where there are none. */
  afterToolMs?: number;
  /** The same of those after the turn. */
  afterTurnMs?: number;
};

/** What hooks are told of a turn that has ended. */
export type HookedTurn = {
  type: OutcomeType | 'failed';
  /** The last reply, its first 50 KB. */
  text: string;
  output?: Json;
  iterations: number;
  usage: TurnUsage;
  messageCount: number;
  /** Of a failed turn: its fault's type and text. */
  failure?: { type: string; message: string };
};

type HookedAgent = { v: 1; agent: string; version: string; turnId: string; metadata?: JsonObject };
export type AfterTurnInput = HookedAgent & { outcome: HookedTurn };
export type AfterTurnResult = { v: 1; hooks: HookRecord[] };
export type AfterCallInput = HookedAgent & {
  iteration: number;
  /** What it was called with. */
  input: Json;
  result: ToolResultBlock;
  changedBy?: 'hook';
  maxResultBytes?: number;
};
export type AfterCallResult = { v: 1; result: ToolResultBlock; hooks: HookRecord[] };

type Called = { id: string; name: string };
const NOTE_BYTES = 4000;

export function blockedByHook(call: Called, reason: string): ToolResultBlock {
  const why = reason.trim() === '' ? '' : ` The reason: ${wireText(reason, NOTE_BYTES)}`;
  return answer(
    call,
    'denied',
    'blocked_by_hook',
    `${call.name} was not run: a hook blocked this call.${why}`,
  );
}

export function hookFailed(call: Called, problem: string): ToolResultBlock {
  const text = `Error: the hook that looks at calls of ${call.name} failed: ${wireText(problem, NOTE_BYTES)}. It was not run.`;
  return answer(call, 'error', 'hook_failed', text);
}

/** The model is to know with what its call was really run. Used by the workflow and by the fold. */
export function withHookNote(
  { changedBy, changed, input }: { changedBy?: 'hook'; changed?: true; input: Json },
  result: ToolResultBlock,
): ToolResultBlock {
  if (!changedBy || changed || !hasRun(result)) return result;
  const written = JSON.stringify(input);
  return withText(result, `[A hook changed the arguments, and it was run with: ${written}]`);
}

/** One more block of text at the end of a result. */
export function withText(result: ToolResultBlock, text: string): ToolResultBlock {
  const id = `${result.callId}.${result.content.length}`;
  return {
    ...result,
    content: [...result.content, { type: 'text', id, text: wireText(text, NOTE_BYTES) }],
  };
}

const NOT_RUN: readonly unknown[] = ['invalid_arguments', 'approval_failed'];

/** Not where it was denied, was interrupted, or its arguments did not fit. */
export function hasRun({ status, cause }: ToolResultBlock): boolean {
  return status !== 'interrupted' && status !== 'denied' && !NOT_RUN.includes(cause);
}

/** Whether hooks are to see a result that no activity of ours has made. Used by the workflow and by the fold. */
export function isForHooks(settings: { hooks?: HookSettings } | undefined, result: ToolResultBlock): boolean {
  return settings?.hooks?.afterToolMs !== undefined && hasRun(result);
}

const TEXT_BYTES = 50_000;

export function hookedTurn(outcome: TurnOutcome, failure?: { type: string; message: string }): HookedTurn {
  const { type, text, output, iterations, usage, messageCount } = outcome;
  return {
    ...{ type, text: wireText(text, TEXT_BYTES), iterations, usage, messageCount },
    ...(output !== undefined && { output }),
    ...(failure && { failure }),
  };
}

export function hookEvents(hooks: readonly HookRecord[] = []): NewEvent[] {
  return hooks.map((record) => ({ type: 'hook', ...record }));
}
