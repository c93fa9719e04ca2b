import type { CheckedAnswer, PlannedCall } from './activities.js';
import { isJsonObject, type Json, parseJson } from './json.js';
import { type AssistantMessage, type ToolResultBlock, textContent, toolCallsOf } from './messages.js';
import { answer } from './tool-results.js';

/** The tool by which the model gives its answer, where the agent says so. */
export const FINAL_ANSWER = 'final_answer';

/** Where the checks could not be run, however often they were tried: such an answer ends no turn. */
export const NOT_CHECKED: CheckedAnswer = { v: 1, problem: 'Its checks could not be run.' };

export type FinalCall = Extract<PlannedCall, { do: 'final' }>;

/** An answer as people and other agents read it. */
export function answerText(given: Json): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** The result of the call that gives the answer, after the agent's checks, where it has any. */
export function resultOfFinal({ callId, name }: FinalCall, { problem }: CheckedAnswer): ToolResultBlock {
  const called = { id: callId, name };
  if (problem !== undefined) return answer(called, 'error', 'answer_refused', refusedText(problem));
  return { type: 'tool_result', callId, name, status: 'ok', content: textContent(callId, 'Accepted.') };
}

export function refusedText(problem: string): string {
  return `Error: your answer was not accepted. ${problem}\nGo on, and then give your final answer again.`;
}

/** Of a call that is to be the only one of its reply. */
export function notAlone(called: { id: string; name: string }): ToolResultBlock {
  const text = `Error: ${called.name} was not accepted: it must be the only call of a reply, and this one had others. Read their results, and then call it alone.`;
  return answer(called, 'error', 'not_alone', text);
}

/** The answer that a reply has given by the tool for it, as text; undefined where it has not, or where it is kept elsewhere. */
export function finalTextIn(message: AssistantMessage): string | undefined {
  const [call, another] = toolCallsOf(message);
  if (call?.name !== FINAL_ANSWER || another || call.argumentsArtifact) return undefined;
  const parsed = parseJson(call.arguments);
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined;
  const { answer: given } = parsed.value;
  return given === undefined ? undefined : answerText(given);
}
