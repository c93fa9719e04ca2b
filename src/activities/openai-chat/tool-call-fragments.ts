import { isJsonObject, type JsonObject } from '../../shared/json.js';
import type { ModelPart } from '../../shared/model-port.js';
import { argumentsText } from '../openai/deep-json.js';
import { toOpaque } from '../openai/origin.js';

type ToolCallPart = Extract<ModelPart, { type: 'tool_call' }>;
type Progress = 'not begun' | 'begun' | 'whole';
type Call = {
  id: string;
  name: string;
  arguments: string;
  extra: JsonObject;
  progress: Progress;
  grow(text: string): void;
  /** Begins its arguments anew. */
  empty(): void;
};
type Fragment = {
  index: string | undefined;
  id: string;
  name: string;
  arguments: string;
  extra: JsonObject;
};

/** What Gemini and LiteLLM put beside a call, its thought's signature, and refuse the call without. */
const EXTRA_FIELDS = ['extra_content', 'provider_specific_fields'];
/** What these fields are called in a call's `opaque`. */
export const EXTRA = 'call_fields';

/**
 * Puts the fragments of tool calls together. Gateways give several calls one index, none, or indexes with gaps,
 * leave ids out, and repeat names, so which call a fragment belongs to is decided by all of these, and by whether
 * a call's JSON is whole already. A fragment that could belong to two calls becomes one without a name, which can't
 * run: it is never added to another call's JSON.
 */
export function toolCallFragments(origin: string) {
  const calls: Call[] = [];
  const callAt = new Map<string, Call>();

  function begin(): Call {
    const call = newCall();
    calls.push(call);
    return call;
  }

  function owner(fragment: Fragment): Call {
    const { index, id } = fragment;
    if (index !== undefined) {
      const there = callAt.get(index);
      return there !== undefined && (continues(fragment, there) || fills(fragment, there)) ? there : begin();
    }
    if (id !== '') {
      const named = calls.findLast((call) => call.id === id);
      return named !== undefined && continues(fragment, named) ? named : begin();
    }
    const last = calls.at(-1);
    const open = calls.filter((call) => call.progress === 'begun');
    const another = open.some((call) => call !== last);
    return last !== undefined && !another && continues(fragment, last) ? last : begin();
  }

  return {
    add(delta: unknown): void {
      const fragment = readFragment(delta);
      if (fragment === undefined) return;
      const call = owner(fragment);
      if (fills(fragment, call)) call.empty();
      if (fragment.index !== undefined) callAt.set(fragment.index, call);
      call.id ||= fragment.id;
      call.name ||= fragment.name;
      Object.assign(call.extra, fragment.extra);
      call.grow(fragment.arguments);
    },
    parts: (): ToolCallPart[] =>
      calls.map(({ id, name, arguments: written, extra }) => ({
        type: 'tool_call',
        id,
        name,
        arguments: written,
        ...(Object.keys(extra).length > 0 && { opaque: toOpaque(origin, EXTRA, extra) }),
      })),
    /** Whether there are calls, each with a name and with whole arguments: nothing can be missing. */
    areWhole: () => calls.length > 0 && calls.every((call) => call.name !== '' && call.progress === 'whole'),
  };
}

/** Whether a fragment may be a part of the call that its index, its id or its place points to. */
function continues(fragment: Fragment, call: Call): boolean {
  const addsText = fragment.arguments.trim() !== '';
  if (fragment.id !== '' && call.id !== '' && fragment.id !== call.id) return false;
  if (fragment.name !== '' && call.name !== '' && fragment.name !== call.name) return false;
  // An id that comes late belongs to the call only where its name does, too.
  if (fragment.id !== '' && call.id === '' && call.name !== '' && fragment.name !== '') return false;
  return !(call.progress === 'whole' && addsText);
}

/** Some gateways begin a call with `{}`, and send its arguments after that, at the same index. */
function fills(fragment: Fragment, call: Call): boolean {
  const isNameless = fragment.id === '' && fragment.name === '' && fragment.index !== undefined;
  return isNameless && call.arguments.trim() === '{}' && fragment.arguments.trim() !== '';
}

function readFragment(delta: unknown): Fragment | undefined {
  if (!isJsonObject(delta)) return undefined;
  const { index, id, function: body } = delta;
  const called = isJsonObject(body) ? body : {};
  const written = called['arguments'] ?? '';
  return {
    index: index === undefined || index === null ? undefined : String(index),
    id: typeof id === 'string' ? id : '',
    name: typeof called['name'] === 'string' ? called['name'] : '',
    arguments: argumentsText(written),
    extra: Object.fromEntries(Object.entries(delta).filter(([field]) => EXTRA_FIELDS.includes(field))),
  };
}

/** Follows the braces and strings of its arguments as they grow, so that each character is looked at once. */
function newCall(): Call {
  let depth = 0;
  let inText = false;
  let escaped = false;

  function follow(character: string): void {
    if (inText) {
      if (escaped) escaped = false;
      else if (character === '\\') escaped = true;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
  }

  return {
    id: '',
    name: '',
    arguments: '',
    extra: {},
    progress: 'not begun',
    empty() {
      this.arguments = '';
      this.progress = 'not begun';
    },
    grow(text) {
      this.arguments += text;
      for (const character of text) {
        if (character.trim() === '') continue;
        follow(character);
        this.progress = depth === 0 && !inText && /[}\]]/.test(character) ? 'whole' : 'begun';
      }
    },
  };
}
