import { withNames } from '../define/artifact.js';
import type { AnyTool } from '../define/define-agent.js';
import type { Decision } from '../permissions/decide.js';
import type { PlannedCall } from '../shared/activities.js';
import { callSummary } from '../shared/call-summary.js';
import { isJsonObject, type Json } from '../shared/json.js';
import type { ToolCallBlock, ToolResultBlock } from '../shared/messages.js';
import type { ModelResponse } from '../shared/model-port.js';
import {
  approvalFailed,
  concurrencyKeyFailed,
  cutByOutputLimit,
  cutByRefusal,
  deniedByRule,
  invalidArguments,
  invalidJson,
  unknownTool,
} from '../shared/tool-results.js';
import { errorText, wireLine } from '../shared/wire-text.js';
import { checkArguments } from './check-arguments.js';
import { concurrencyKeyOf } from './concurrency-key.js';
import { inexactInteger } from './exact-numbers.js';
import type { HookedCall } from './model-hooks.js';
import { parseArguments } from './parse-arguments.js';
import { wakeTime } from './wake-time.js';

/** Says whether a call may run; what it throws is an error result. */
type Judge = (tool: AnyTool, input: Json) => Promise<Decision | undefined>;
/** Says what it is to run with, before it is judged. Never throws. */
type Before = (tool: AnyTool, callId: string, input: Json) => Promise<HookedCall>;
/** Who has a say in whether, and with what, a call runs. */
export type Deciders = { judge: Judge; before: Before };

/**
 * What is to be done with one call of a reply: the first thing that is wrong with it is its result. `nameOf` gives an
 * artifact's own name for the one that the model has written.
 */
export async function planCall(
  block: ToolCallBlock,
  tool: AnyTool | undefined,
  response: ModelResponse,
  {
    tools,
    judge,
    before,
    nameOf,
  }: { tools: readonly AnyTool[]; nameOf: (written: string) => string } & Deciders,
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

export function answeredBy(result: ToolResultBlock): PlannedCall {
  return { do: 'answer', callId: result.callId, name: result.name, result };
}
