import { isDeepStrictEqual } from 'node:util';
import { withNames } from '../define/artifact.js';
import type { AnyTool } from '../define/define-agent.js';
import type { ToolCallAhead } from '../define/hooks.js';
import { blockedByHook, hookFailed } from '../shared/hooks.js';
import { isJsonObject, type Json, type JsonObject } from '../shared/json.js';
import type { Message, ToolResultBlock } from '../shared/messages.js';
import { isModelOptions, type ModelOptions } from '../shared/model-options.js';
import { ModelError, type ModelRequest, type ModelResponse } from '../shared/model-port.js';
import { notStarted } from '../shared/tool-results.js';
import { errorText } from '../shared/wire-text.js';
import { checkArguments } from './check-arguments.js';
import { type HookCalls, refuseOthers, textIn } from './hook-calls.js';

const MAX_TRIES = 3;

/** The request as the hooks leave it. Throws a ModelError where one fails: what it would have changed is not known. */
export async function beforeModelCall(hooks: HookCalls, request: ModelRequest): Promise<ModelRequest> {
  const asked = { point: 'beforeModelCall' } as const;
  let changed = request;
  for (const hook of hooks.with('beforeModelCall')) {
    const { model, instructions, messages, tools, options = {} } = changed;
    const names = tools.map(({ name }) => name);
    // They are the turn's, and the next call's, too: a hook that writes into them changes its own copy.
    const own = structuredClone({ messages, options });
    try {
      const change = await hooks.ask(hook, asked, ({ beforeModelCall: ask }, context) =>
        ask?.({ model, instructions, tools: names, ...own }, context),
      );
      if (!change) continue;
      changed = changedRequest(changed, change);
      const what = Object.keys(change).filter((field) => change[field] !== undefined);
      hooks.record(hook, asked, 'changed', what.join(', '));
    } catch (error) {
      hooks.record(hook, asked, 'failed', errorText(error));
      const text = `The hook "${hook.name}" before the model call failed: ${errorText(error)}`;
      throw new ModelError('Agent.HookFailed', text, {
        retryable: true,
        maxAttempts: MAX_TRIES,
        cause: error,
      });
    }
  }
  return changed;
}

function changedRequest(request: ModelRequest, change: Record<string, unknown>): ModelRequest {
  refuseOthers(change, 'instructions', 'append', 'options');
  const instructions = textIn(change, 'instructions');
  const append = textIn(change, 'append');
  const { options } = change;
  const problems = options === undefined ? [] : isModelOptions(options, 'options');
  if (problems.length > 0) throw new TypeError(problems.join('; '));
  return {
    ...request,
    ...(instructions !== undefined && { instructions: instructions.toWellFormed() }),
    ...(append !== undefined &&
      append !== '' && { messages: [...request.messages, appended(request, append)] }),
    ...(options !== undefined && { options: { ...request.options, ...(options as ModelOptions) } }),
  };
}

function appended({ messages }: ModelRequest, text: string): Message {
  const id = `hook_${messages.length}`;
  return { role: 'user', id, content: [{ type: 'text', id: `${id}.0`, text: text.toWellFormed() }] };
}

/** Looks on; never throws. */
export async function afterModelCall(hooks: HookCalls, response: ModelResponse): Promise<void> {
  const { content, model, stopReason, usage } = response;
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const calls = content.flatMap((part) =>
    part.type === 'tool_call' ? [{ callId: part.id, name: part.name }] : [],
  );
  const done = { model, text, stopReason, calls, ...(usage && { usage }) };
  for (const hook of hooks.with('afterModelCall'))
    await hooks.askSafely(hook, { point: 'afterModelCall' }, (own, context) =>
      own.afterModelCall?.(done, context),
    );
}

/** What a call is to run with, as the hooks leave it; or its result, where one blocks it or fails. */
export type HookedCall =
  /** `names`: the artifacts that changed arguments name. */
  { input: Json; changedBy?: 'hook'; names?: string[]; ask?: string } | { result: ToolResultBlock };

/** Each hook sees what the one before has made of the call, and the first that blocks it ends that. Never throws. */
export async function beforeToolCall(
  hooks: HookCalls,
  tool: AnyTool,
  callId: string,
  planned: Json,
): Promise<HookedCall> {
  const called = { id: callId, name: tool.name };
  const asked = { point: 'beforeToolCall', callId } as const;
  let call: Extract<HookedCall, { input: Json }> = { input: planned };
  for (const hook of hooks.with('beforeToolCall')) {
    try {
      const ahead: ToolCallAhead = { callId, name: tool.name, arguments: copyOf(call.input) };
      const decision = await hooks.ask(hook, asked, (own, context) => own.beforeToolCall?.(ahead, context));
      if (!decision) continue;
      refuseOthers(decision, 'block', 'arguments', 'ask');
      const block = textIn(decision, 'block');
      if (block !== undefined) {
        hooks.record(hook, asked, 'blocked', block);
        return { result: blockedByHook(called, block) };
      }
      const ask = textIn(decision, 'ask');
      const changed = decision['arguments'];
      if (changed !== undefined && !isDeepStrictEqual(changed, call.input)) {
        call = { ...call, ...(await fitting(tool, changed)), changedBy: 'hook' };
        hooks.record(hook, asked, 'changed', JSON.stringify(call.input));
      }
      if (ask === undefined) continue;
      hooks.record(hook, asked, 'asked', ask);
      call = { ...call, ask: call.ask ?? ask };
    } catch (error) {
      if (hooks.isInterrupted) return { result: notStarted(called) };
      hooks.record(hook, asked, 'failed', errorText(error));
      return { result: hookFailed(called, errorText(error)) };
    }
  }
  return call;
}

/** What a hook does with the object must not be what the call runs with. */
function copyOf(input: Json): JsonObject {
  return isJsonObject(input) ? structuredClone(input) : {};
}

async function fitting(tool: AnyTool, given: unknown): Promise<{ input: Json; names: string[] }> {
  const written = given as Json;
  if (!isJsonObject(written)) throw new TypeError('its "arguments" are no object');
  // A value that JSON can't carry would be another one in the tool.
  const plain = JSON.parse(JSON.stringify(written)) as JsonObject;
  const { result: checked, names } = await withNames(asWritten, () => checkArguments(tool, plain));
  if (checked.ok) return { input: checked.input, names };
  throw new TypeError(`its "arguments" don't fit the schema (${checked.problems.join('; ')})`);
}

/** Only which artifacts are named is of interest here: the plan finds what they are. */
const asWritten = (name: string) => name;
