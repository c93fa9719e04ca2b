import { isJsonObject, type Json, type JsonObject } from '../../shared/json.js';
import type { ModelPart } from '../../shared/model-port.js';
import { argumentsText } from '../openai/deep-json.js';
import { saysNothing } from '../openai/no-arguments.js';
import { toOpaque } from '../openai/origin.js';
import { type GrowingCall, growingCall } from './growing-call.js';

type ToolCallPart = Extract<ModelPart, { type: 'tool_call' }>;
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

/** As JSON that is none, so that the call is answered with what is wrong, and never run. */
const NOT_WHOLE = '(its arguments came in pieces, and which are its own can not be told)';

/**
 * Puts the fragments of tool calls together. Gateways give several calls one index, none, or indexes with gaps, leave
 * ids out, give each piece a new one, repeat names and whole calls, so which call a fragment belongs to is decided by
 * all of these, and by whether a call's JSON is whole already. A fragment that fits no call, or could be of two, becomes
 * a call without a name, which can't run; where there is such a one, a call without arguments doesn't run either, for
 * they may be its own.
 */
export function toolCallFragments(origin: string) {
  const calls: GrowingCall[] = [];
  const callAt = new Map<string, GrowingCall>();
  const callOf = new Map<string, GrowingCall>();
  const open = new Set<GrowingCall>();

  function begin(index?: string): GrowingCall {
    const call = growingCall(index);
    calls.push(call);
    return call;
  }

  function owner(fragment: Fragment): GrowingCall {
    const { index, id } = fragment;
    const known = callOf.get(id);
    if (known !== undefined && repeats(fragment, known)) return known;
    if (index !== undefined) {
      const there = callAt.get(index);
      if (there !== undefined && belongs(fragment, there)) return there;
      if (there?.otherIds.has(id)) there.isTorn = true;
      return begin(index);
    }
    if (id !== '') return known !== undefined && belongs(fragment, known) ? known : begin();
    const last = calls.at(-1);
    const another = open.size > 1 || (open.size === 1 && last !== undefined && !open.has(last));
    return last !== undefined && !another && continues(fragment, last) ? last : begin();
  }

  function take(fragment: Fragment, call: GrowingCall): void {
    if (fragment.index !== undefined) callAt.set(fragment.index, call);
    if (call.id === '') call.id = fragment.id;
    else if (fragment.id !== '' && fragment.id !== call.id) call.otherIds.add(fragment.id);
    if (call.id !== '') callOf.set(call.id, call);
    call.name = isPieceOfName(fragment, call) ? call.name + fragment.name : call.name || fragment.name;
    Object.assign(call.extra, fragment.extra);
    call.grow(fragment.arguments);
    if (call.progress === 'begun') open.add(call);
    else open.delete(call);
  }

  return {
    add(delta: unknown): void {
      const fragment = readFragment(delta);
      if (fragment === undefined) return;
      const call = owner(fragment);
      if (repeats(fragment, call)) return;
      if (fills(fragment, call)) call.empty();
      take(fragment, call);
    },
    /** The whole calls of a reply whose pieces came already: takes from them what the pieces lack. */
    complete(list: readonly Json[]): void {
      for (const [place, one] of list.entries()) {
        const fragment = readFragment(one);
        if (fragment === undefined) continue;
        const call = callOf.get(fragment.id) ?? counterpart(calls, place, fragment) ?? begin();
        const isMissing = call.progress !== 'whole' || saysNothing(call.arguments);
        if (!isMissing || saysNothing(fragment.arguments)) fragment.arguments = '';
        else call.empty();
        take({ ...fragment, index: undefined }, call);
      }
    },
    parts(): ToolCallPart[] {
      const hasOrphan = calls.some((call) => call.name === '' && !saysNothing(call.arguments));
      return calls.map((call) => toPart(call, origin, hasOrphan));
    },
    /** Whether there are calls, each with a name and with whole arguments: nothing can be missing. */
    areWhole: () => calls.length > 0 && calls.every((call) => call.name !== '' && call.progress === 'whole'),
  };
}

/** The call that came in pieces under another id than in the list of all. */
function counterpart(calls: readonly GrowingCall[], place: number, whole: Fragment): GrowingCall | undefined {
  const there = calls[place];
  if (there !== undefined && ['', whole.name].includes(there.name)) return there;
  return calls.find(({ name, arguments: written }) => name === whole.name && written === whole.arguments);
}

/** `hasOrphan`: there are arguments that belong to no call. */
function toPart(call: GrowingCall, origin: string, hasOrphan: boolean): ToolCallPart {
  const { id, name, arguments: written, extra, isTorn } = call;
  const mayLack = hasOrphan && name !== '' && saysNothing(written);
  return {
    type: 'tool_call',
    id,
    name,
    arguments: isTorn || mayLack ? NOT_WHOLE : written,
    ...(Object.keys(extra).length > 0 && { opaque: toOpaque(origin, EXTRA, extra) }),
  };
}

/** Whether a fragment may be a part of the call that its index or its id points to. */
function belongs(fragment: Fragment, call: GrowingCall): boolean {
  return continues(fragment, call) || fills(fragment, call);
}

/** The whole call once more. Without an id, it may be a second one that is the same. */
function repeats(fragment: Fragment, call: GrowingCall): boolean {
  return (
    call.progress === 'whole' &&
    fragment.id !== '' &&
    fragment.id === call.id &&
    (fragment.index === undefined || fragment.index === call.index) &&
    ['', call.name].includes(fragment.name) &&
    fragment.arguments === call.arguments
  );
}

function continues(fragment: Fragment, call: GrowingCall): boolean {
  if (call.progress === 'whole' && fragment.arguments.trim() !== '') return false;
  if (isPieceOfName(fragment, call)) return true;
  if (fragment.name !== '' && call.name !== '' && fragment.name !== call.name) return false;
  // An id that comes late belongs to the call only where its name does, too.
  if (fragment.id !== '' && call.id === '' && call.name !== '' && fragment.name !== '') return false;
  if (fragment.id === '' || call.id === '' || fragment.id === call.id) return true;
  // Some gateways make up an id for each chunk.
  return fragment.index !== undefined && fragment.name === '' && call.progress !== 'whole';
}

/** Joined, two names of two calls are none of a tool: neither runs. */
function isPieceOfName({ index, id, name }: Fragment, call: GrowingCall): boolean {
  const isOther = name !== '' && call.name !== '' && name !== call.name;
  const isPointedAt = call.id !== '' && (id === call.id || (id === '' && index !== undefined));
  return isOther && isPointedAt && call.progress === 'not begun';
}

/** Some gateways begin a call with `{}`, and send its arguments after that, under its index or its id. */
function fills({ index, id, name, arguments: written }: Fragment, call: GrowingCall): boolean {
  const isPointedAt = index !== undefined || id !== '';
  const isSame = name === '' || (name === call.name && ['', call.id].includes(id));
  return isPointedAt && isSame && saysNothing(call.arguments) && !saysNothing(written);
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
