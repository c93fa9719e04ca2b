import { withNames } from '../define/artifact.js';
import type { AnyTool } from '../define/define-agent.js';
import type { Decision } from '../permissions/decide.js';
import type { PlannedCall } from '../shared/activities.js';
import { artifactsIn, namesOf } from '../shared/artifact-names.js';
import { READ_ARTIFACT } from '../shared/artifacts.js';
import { callSummary } from '../shared/call-summary.js';
import { notAlone } from '../shared/final-answer.js';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../shared/json.js';
import type { AssistantMessage, Message, ToolCallBlock, ToolResultBlock } from '../shared/messages.js';
import type { ModelPart, ModelResponse } from '../shared/model-port.js';
import {
  approvalFailed,
  concurrencyKeyFailed,
  cutByOutputLimit,
  cutByRefusal,
  deniedByRule,
  invalidArguments,
  invalidJson,
  notCallableNow,
  unknownTool,
} from '../shared/tool-results.js';
import { uniqueId } from '../shared/transcript.js';
import { errorText, wireId, wireLine } from '../shared/wire-text.js';
import { checkArguments } from './check-arguments.js';
import { concurrencyKeyOf } from './concurrency-key.js';
import { inexactInteger } from './exact-numbers.js';
import type { HookedCall } from './model-hooks.js';
import { artifactIdIn, resolvedRead } from './read-artifact.js';
import { artifactNamed, artifactsOf, findArtifact } from './turn-artifacts.js';
import { wakeTime } from './wake-time.js';

const MAX_NESTING = 500;

/** Says whether a call may run; what it throws is an error result. */
type Judge = (tool: AnyTool, input: Json) => Promise<Decision | undefined>;
/** Says what it is to run with, before it is judged. Never throws. */
type Before = (tool: AnyTool, callId: string, input: Json) => Promise<HookedCall>;
type Planning = { judge: Judge; before: Before };
/** `idSuffix` makes ids of calls unique where earlier ones are not among the messages any more. */
/** `withoutTools`: none of its calls is to run. */
type PlanOptions = { idSuffix?: string; withoutTools?: boolean } & Partial<Planning>;

const untouched: Before = async (_tool, _callId, input) => ({ input });

type CallPart = Extract<ModelPart, { type: 'tool_call' }>;

/**
 * Turns a provider's reply into a message of ours and says what is to be done with each of its tool calls: run it,
 * or answer it at once with what is wrong. Nothing that was not sent whole is ever run.
 */
export async function planReply(
  id: string,
  response: ModelResponse,
  tools: readonly AnyTool[],
  earlier: readonly Message[],
  {
    idSuffix = '',
    withoutTools = false,
    judge = async () => undefined,
    before = untouched,
  }: PlanOptions = {},
): Promise<{ message: AssistantMessage; calls: PlannedCall[] }> {
  const ids = { used: callIdsOf(earlier), suffix: idSuffix };
  const content: AssistantMessage['content'] = [];
  const calls: PlannedCall[] = [];
  const nameOf = namesOf(() => artifactsIn(earlier));
  for (const [index, part] of response.content.entries()) {
    if (part.type !== 'tool_call') {
      content.push({ ...part, id: `${id}.${index}`, text: part.text.toWellFormed() });
      continue;
    }
    const tool = findTool(part.name, tools);
    const block = callBlock(part, `${id}.${index}`, tool, ids);
    content.push(block);
    const call = withoutTools
      ? answeredBy(notCallableNow(block))
      : await planCall(block, tool, response, { tools, judge, before, nameOf });
    calls.push(resolveArtifact(call, earlier));
  }
  const { stopReason, model } = response;
  return { message: { role: 'assistant', id, content, stopReason, model }, calls: calls.map(answeredAlone) };
}

/** What gives the answer must come alone: the model has not seen the results of what it called beside it. */
function answeredAlone(call: PlannedCall, _index: number, { length }: readonly PlannedCall[]): PlannedCall {
  if (call.do !== 'final' || length === 1) return call;
  const { callId, name } = call;
  return { do: 'answer', callId, name, result: notAlone({ id: callId, name }) };
}

function answeredBy(result: ToolResultBlock): PlannedCall {
  return { do: 'answer', callId: result.callId, name: result.name, result };
}

/** A long transcript is looked through at each call. */
function callIdsOf(messages: readonly Message[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const block of message.content) if (block.type === 'tool_call') ids.add(block.id);
  }
  return ids;
}

function callBlock(
  part: CallPart,
  fallbackId: string,
  tool: AnyTool | undefined,
  ids: { used: Set<string>; suffix: string },
): ToolCallBlock {
  const wanted = fitForProviders(part.id) || fitForProviders(fallbackId);
  const id = uniqueId(wanted.slice(0, 64 - ids.suffix.length) + ids.suffix, ids.used);
  const name = tool?.name ?? (fitForProviders(part.name) || 'unnamed_tool');
  return {
    type: 'tool_call',
    id,
    name,
    arguments: part.arguments.toWellFormed(),
    ...(id !== part.id && part.id !== '' && { providerId: wireId(part.id) }),
    ...(name !== part.name && { requestedName: wireLine(part.name) }),
    ...(part.opaque !== undefined && { opaque: part.opaque }),
  };
}

/** Ids and names are sent back with every later request, and providers refuse other characters in them for ever. */
function fitForProviders(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
}

/** The tool of that very name, else the only one whose name differs in nothing but case. */
function findTool(name: string, tools: readonly AnyTool[]): AnyTool | undefined {
  const exact = tools.find((tool) => tool.name === name);
  if (exact) return exact;
  const folded = tools.filter((tool) => tool.name.toLowerCase() === name.toLowerCase());
  return folded.length === 1 ? folded[0] : undefined;
}

async function planCall(
  block: ToolCallBlock,
  tool: AnyTool | undefined,
  response: ModelResponse,
  {
    tools,
    judge,
    before,
    nameOf,
  }: { tools: readonly AnyTool[]; nameOf: (written: string) => string } & Planning,
): Promise<PlannedCall> {
  if (response.stopReason === 'max_tokens') return answeredBy(cutByOutputLimit(block));
  if (response.stopReason === 'refusal') return answeredBy(cutByRefusal(block));
  if (!tool) {
    const names = tools
      .filter((each) => !each.hidden)
      .map((each) => each.name)
      .sort();
    return answeredBy(unknownTool(block, block.requestedName ?? block.name, names));
  }
  const parsed = parseArguments(block.arguments);
  if (!parsed.ok) return answeredBy(invalidJson(block, parsed.problem));
  const inexact = inexactInteger(block.arguments);
  if (inexact !== undefined) return answeredBy(invalidArguments(block, [cannotBeKept(inexact)]));
  const { result: checked, names: written } = await withNames(nameOf, () =>
    checkArguments(tool, parsed.value),
  );
  if (!checked.ok) return answeredBy(invalidArguments(block, checked.problems));
  if (tool.givesAnswer) return await finalCall(block, tool, checked.input);
  const hooked = await before(tool, block.id, checked.input);
  if ('result' in hooked) return answeredBy(hooked.result);
  const { input, changedBy, ask, names = written } = hooked;
  const summary = callSummary(tool.name, changedBy && isJsonObject(input) ? input : parsed.value);
  const call = { callId: block.id, name: tool.name, ...(names.length > 0 && { artifacts: names }) };
  try {
    const { result: judged } = await withNames(nameOf, () => judge(tool, input));
    const permission = askedFor(judged, ask);
    if (permission?.policy === 'deny') return answeredBy(deniedByRule(block, permission.why));
    if (tool.asksPeople) return { do: 'question', ...call, ...questionIn(input), summary };
    if (tool.sleeps) {
      const wake = wakeTime(input, tool.sleeps);
      if ('problem' in wake) return answeredBy(invalidArguments(block, [wake.problem]));
      return { do: 'sleep', ...call, ...wake, summary };
    }
    const { result: keyed } = await withNames(nameOf, () => concurrencyKeyOf(tool, input));
    if ('problem' in keyed) return answeredBy(concurrencyKeyFailed(block, keyed.problem));
    const extra = { ...(permission && { permission }), ...(changedBy && { changedBy }) };
    return { do: 'run', ...call, input, summary, ...keyed, ...extra };
  } catch (error) {
    return answeredBy(approvalFailed(block, errorText(error)));
  }
}

/** A hook may ask for a person where nothing else does, and allows nothing. */
function askedFor(permission: Decision | undefined, ask: string | undefined): Decision | undefined {
  if (ask === undefined || (permission && permission.policy !== 'allow')) return permission;
  return { policy: 'ask', why: `a hook asks: ${wireLine(ask)}`, always: [] };
}

/** The answer as the schema gives it out: trimmed, say, as that of a reply's text is. */
async function finalCall(block: ToolCallBlock, tool: AnyTool, input: Json): Promise<PlannedCall> {
  const { id: callId, name } = block;
  const { answer }: { answer?: Json } = await tool.input.parseAsync(input);
  return { do: 'final', callId, name, answer: JSON.parse(JSON.stringify(answer ?? null)) };
}

function questionIn(input: Json): { question: string; choices?: string[] } {
  const { question, choices } = isJsonObject(input) ? input : {};
  const texts = Array.isArray(choices) ? choices.filter((each) => typeof each === 'string') : [];
  return { question: String(question ?? ''), ...(texts.length > 0 && { choices: texts }) };
}

function cannotBeKept(integer: string): string {
  return `${integer.slice(0, 50)} can't be kept exactly: integers go up to 9007199254740991. Where the tool takes a string, write it as one`;
}

/** A model reads artifacts of its own transcript and no others, whatever hash it may know or guess. */
function resolveArtifact(call: PlannedCall, earlier: readonly Message[]): PlannedCall {
  if (call.do !== 'run' || call.name !== READ_ARTIFACT || !isJsonObject(call.input)) return call;
  const id = artifactIdIn(call.input);
  const found = artifactNamed(id, earlier) ?? findArtifact(id, artifactsOf(earlier));
  if (typeof found !== 'string') return { ...call, input: resolvedRead(call.input, found) };
  const { callId, name } = call;
  const result = invalidArguments({ id: callId, name }, [`artifact: ${found}`]);
  return { do: 'answer', callId, name, result };
}

/** No arguments at all, which some servers send as `""` or `null`, are an empty object. */
function parseArguments(text: string): { ok: true; value: JsonObject } | { ok: false; problem: string } {
  const parsed = text.trim() === '' ? { ok: true as const, value: {} } : parseJson(text);
  if (!parsed.ok) return parsed;
  if (isNestedDeeper(text, MAX_NESTING))
    return { ok: false, problem: `it is nested more than ${MAX_NESTING} levels deep` };
  const value: Json = parsed.value ?? {};
  return isJsonObject(value) ? { ok: true, value } : { ok: false, problem: 'it must be an object' };
}

/** What is nested some thousand levels deep overflows the stack of whoever writes or checks it. */
function isNestedDeeper(json: string, levels: number): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (inText) {
      if (char === '\\') at += 1;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}
