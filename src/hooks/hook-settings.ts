import { readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../shared/json.js';

export const HOOK_EVENTS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'Stop'] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

export type SetCommand = { command: string; timeoutMs: number; matches(tool: string): boolean };
export type HookSettingsFile = {
  commands: Record<HookEvent, SetCommand[]>;
  /** Events of the file that turns don't have. */
  ignored: string[];
};

const DEFAULT_TIMEOUT_SECONDS = 60;
/** Ignored, these would make a command run where it is not to, or be waited for where it is not. */
const NOT_HERE = ['if', 'async', 'asyncRewake', 'once'];

/**
 * Reads the `hooks` of a settings file as Claude Code has them, from its path or as the parsed object. Throws a TypeError
 * that names the place and the fault: a guard that is misread would guard nothing.
 */
export function readHookSettings(given: string | object): HookSettingsFile {
  const [what, json] = typeof given === 'string' ? [given, parsed(given)] : ['commandHooks', given as Json];
  const hooks = isJsonObject(json) ? json['hooks'] : undefined;
  if (!isJsonObject(hooks)) {
    throw new TypeError(
      `${what}: expected an object with the field "hooks", as in {"hooks": {"PreToolUse": [{"matcher": "bash", "hooks": [{"type": "command", "command": "./check.sh"}]}]}}.`,
    );
  }
  const isOurs = (event: string) => HOOK_EVENTS.some((each) => each === event);
  const of = (event: HookEvent) => commandsOf(`${what}: hooks.${event}`, hooks[event]);
  return {
    commands: {
      PreToolUse: of('PreToolUse'),
      PostToolUse: of('PostToolUse'),
      PostToolUseFailure: of('PostToolUseFailure'),
      Stop: of('Stop'),
    },
    ignored: Object.keys(hooks).filter((event) => !isOurs(event)),
  };
}

function parsed(path: string): Json {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new TypeError(`${path} can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const json = parseJson(text);
  if (json.ok) return json.value;
  throw new TypeError(`${path} is not JSON (${json.problem}).`);
}

function commandsOf(what: string, groups: Json | undefined): SetCommand[] {
  if (groups === undefined) return [];
  if (!Array.isArray(groups)) throw new TypeError(`${what}: expected a list of {"matcher", "hooks"}.`);
  return groups.flatMap((group, index) => {
    const at = `${what}[${index}]`;
    if (!isJsonObject(group) || !Array.isArray(group['hooks']))
      throw new TypeError(`${at}: expected {"matcher": "bash", "hooks": [...]}.`);
    const matches = matcherOf(at, group['matcher']);
    return group['hooks'].map((hook, place) => commandOf(`${at}.hooks[${place}]`, hook, matches));
  });
}

function commandOf(at: string, hook: Json, matches: SetCommand['matches']): SetCommand {
  const { type, command, timeout = DEFAULT_TIMEOUT_SECONDS }: JsonObject = isJsonObject(hook) ? hook : {};
  if (type !== 'command') throw new TypeError(`${at}: only hooks with "type": "command" are known here.`);
  if (typeof command !== 'string' || command.trim() === '')
    throw new TypeError(`${at}.command: expected a shell command.`);
  if (typeof timeout !== 'number' || !(timeout > 0))
    throw new TypeError(`${at}.timeout: expected a number of seconds.`);
  const unknown = NOT_HERE.find(
    (field) => isJsonObject(hook) && hook[field] !== undefined && hook[field] !== false,
  );
  if (unknown !== undefined) throw new TypeError(`${at}.${unknown}: this is not known here. Take it away.`);
  return { command, timeoutMs: timeout * 1000, matches };
}

/** A name, names with `|` between them, or a regular expression; none, `""` and `*` are all tools. */
function matcherOf(at: string, matcher: Json | undefined): SetCommand['matches'] {
  if (matcher === undefined || matcher === '' || matcher === '*') return () => true;
  if (typeof matcher !== 'string') throw new TypeError(`${at}.matcher: expected a text.`);
  if (/^[\w|-]+$/.test(matcher)) {
    const names = matcher.split('|');
    return (tool) => namesOf(tool).some((name) => names.includes(name));
  }
  try {
    const pattern = new RegExp(matcher);
    return (tool) => namesOf(tool).some((name) => pattern.test(name));
  } catch (error) {
    throw new TypeError(`${at}.matcher: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const NAMES_THERE: Record<string, string> = {
  bash: 'Bash',
  read_file: 'Read',
  write_file: 'Write',
  edit_file: 'Edit',
};

/** What a tool is called in files that were written for Claude Code; undefined where it has no such tool. */
export function nameThere(tool: string): string | undefined {
  return tool.includes('__') ? `mcp__${tool}` : NAMES_THERE[tool];
}

function namesOf(tool: string): string[] {
  const there = nameThere(tool);
  return there === undefined ? [tool] : [tool, there];
}
