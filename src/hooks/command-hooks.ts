import { resolve } from 'node:path';
import type { HookContext, Hooks, ToolCallAhead, ToolCallDone } from '../define/hooks.js';
import type { HookedTurn } from '../shared/hooks.js';
import type { JsonObject } from '../shared/json.js';
import { childEnvironment } from '../tools/child-environment.js';
import { answerAfter, answerBefore, noteAtEnd } from './hook-answers.js';
import { type HookCommandEnd, runHookCommand } from './hook-command.js';
import {
  HOOK_EVENTS,
  type HookEvent,
  nameThere,
  readHookSettings,
  type SetCommand,
} from './hook-settings.js';

export type CommandHooksOptions = {
  /** Where the commands run, and `$CLAUDE_PROJECT_DIR`; default the folder of the worker's process. */
  cwd?: string;
  /** Added to their environment, also what they would not get from the worker's: keys, tokens, passwords. */
  env?: Readonly<Record<string, string>>;
  /** How records name them; default `command hooks`. */
  name?: string;
};

const GRACE_MS = 5000;
/** Of all commands of one event, one after the other. */
const LONGEST_MS = 600_000;

/**
 * Hooks that are shell commands, as the `hooks` of a settings file name them: the form that Claude Code has, given by its
 * path or as the parsed object. docs/hooks.md says which part of it. Read once; throws a TypeError that names the fault.
 */
export function commandHooks(settings: string | object, options: CommandHooksOptions = {}): Hooks {
  const { commands, ignored } = readHookSettings(settings);
  if (ignored.length > 0)
    process.emitWarning(`Hooks for ${ignored.join(', ')} are not run: there are ${HOOK_EVENTS.join(', ')}.`);
  const { name = 'command hooks' } = options;
  const place = { cwd: resolve(options.cwd ?? '.'), env: options.env ?? {} };
  const hasAfter = commands.PostToolUse.length + commands.PostToolUseFailure.length > 0;
  return {
    name,
    timeout: Math.min(LONGEST_MS, Math.max(...HOOK_EVENTS.map((event) => msOf(commands[event]))) + GRACE_MS),
    ...(commands.PreToolUse.length > 0 && {
      beforeToolCall: (call, context) => before(commands.PreToolUse, call, context, place),
    }),
    ...(hasAfter && {
      afterToolCall: (done, context) => {
        const event = done.result.status === 'ok' ? 'PostToolUse' : 'PostToolUseFailure';
        return after(event, commands[event], done, context, place);
      },
    }),
    ...(commands.Stop.length > 0 && {
      afterTurn: (turn, context) => atEnd(commands.Stop, turn, context, place),
    }),
  };
}

type Place = { cwd: string; env: Readonly<Record<string, string>> };

function msOf(commands: readonly SetCommand[]): number {
  return commands.reduce((sum, { timeoutMs }) => sum + timeoutMs, 0);
}

/** Each command reads what the one before has made of the arguments; the first that blocks is the last. */
async function before(
  commands: readonly SetCommand[],
  call: ToolCallAhead,
  context: HookContext,
  place: Place,
) {
  let changed: JsonObject | undefined;
  let ask: string | undefined;
  for (const each of commands.filter(({ matches }) => matches(call.name))) {
    const ahead = { ...call, arguments: changed ?? call.arguments };
    const end = await run(each, 'PreToolUse', toolFields(ahead), context, place);
    const { decision, note } = answerBefore(each.command, end);
    if (note !== undefined) context.note(note);
    if (!decision) continue;
    if ('block' in decision) return decision;
    ask ??= decision.ask;
    if ('arguments' in decision) changed = ownArguments(ahead, decision.arguments);
  }
  if (changed) return { arguments: changed, ...(ask !== undefined && { ask }) };
  return ask === undefined ? undefined : { ask };
}

async function after(
  event: HookEvent,
  commands: readonly SetCommand[],
  done: ToolCallDone,
  context: HookContext,
  place: Place,
) {
  const { status } = done.result;
  let result: string | undefined;
  const added: string[] = [];
  for (const each of commands.filter(({ matches }) => matches(done.name))) {
    const response = { status, text: result ?? done.text };
    const fields = { ...toolFields(done), tool_response: response };
    const { decision, note } = answerAfter(each.command, await run(each, event, fields, context, place));
    if (note !== undefined) context.note(note);
    result = decision?.result ?? result;
    if (decision?.append !== undefined) added.push(decision.append);
  }
  if (result === undefined && added.length === 0) return undefined;
  return { ...(result !== undefined && { result }), ...(added.length > 0 && { append: added.join('') }) };
}

async function atEnd(
  commands: readonly SetCommand[],
  turn: HookedTurn,
  context: HookContext,
  place: Place,
): Promise<undefined> {
  const fields = { stop_hook_active: false, last_assistant_message: turn.text, outcome: turn };
  for (const each of commands) {
    const note = noteAtEnd(each.command, await run(each, 'Stop', fields, context, place));
    if (note !== undefined) context.note(note);
  }
}

async function run(
  { command, timeoutMs }: SetCommand,
  event: HookEvent,
  fields: object,
  context: HookContext,
  { cwd, env }: Place,
): Promise<HookCommandEnd> {
  const { turnId, agent, iteration, metadata, idempotencyKey, signal } = context;
  const told = {
    ...{ hook_event_name: event, session_id: turnId, cwd },
    ...{ agent, iteration, metadata, idempotency_key: idempotencyKey },
    ...fields,
  };
  const environment = childEnvironment(process.env, { CLAUDE_PROJECT_DIR: cwd, ...env }, idempotencyKey);
  return await runHookCommand({ command, cwd, environment, timeoutMs, stdin: JSON.stringify(told) }, signal);
}

const FILE_TOOLS = ['read_file', 'write_file', 'edit_file'];

/** Commands that were written for Claude Code look for its names of tools, and for a file's path in `file_path`. */
function toolFields({ callId, name, arguments: input }: ToolCallAhead): object {
  const path = FILE_TOOLS.includes(name) && 'path' in input ? { file_path: input['path'] } : {};
  const there = nameThere(name) ?? name;
  return { tool_name: there, tool: name, tool_input: { ...path, ...input }, tool_use_id: callId };
}

function ownArguments({ name, arguments: before }: ToolCallAhead, updated: JsonObject): JsonObject {
  if (!FILE_TOOLS.includes(name) || !('file_path' in updated)) return updated;
  const { file_path: path, ...rest } = updated;
  const isUnchanged = path === before['path'] && 'path' in rest;
  return { ...rest, ...(path !== undefined && !isUnchanged && { path }) };
}
