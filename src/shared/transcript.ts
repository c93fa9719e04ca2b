import {
  type AssistantMessage,
  type Message,
  type ToolCallBlock,
  type ToolMessage,
  type ToolResultBlock,
  toolCallsOf,
} from './messages.js';
import { noResultRecorded } from './tool-results.js';

export type TranscriptProblem = {
  /** Of the message where it shows. */
  index: number;
  kind: 'missing_result' | 'orphan_result' | 'duplicate_result' | 'wrong_order' | 'duplicate_call_id';
  callId: string;
};

/** The calls of the last message, which wait for their results. Derived, never stored. */
export function pendingCalls(messages: readonly Message[]): ToolCallBlock[] {
  const last = messages.at(-1);
  return last ? toolCallsOf(last) : [];
}

/**
 * Everything that would make a provider refuse the transcript: it is valid when each assistant message with calls
 * is followed at once by one tool message with exactly one result a call, in request order, and no id is used twice.
 */
export function transcriptProblems(messages: readonly Message[]): TranscriptProblem[] {
  const problems: TranscriptProblem[] = [];
  const usedIds = new Set<string>();
  for (const [index, message] of messages.entries()) {
    for (const call of toolCallsOf(message)) {
      if (usedIds.has(call.id)) problems.push({ index, kind: 'duplicate_call_id', callId: call.id });
      usedIds.add(call.id);
    }
    problems.push(...roundProblems(index, message, messages[index + 1]), ...strayResults(messages, index));
  }
  return problems;
}

function roundProblems(index: number, message: Message, next: Message | undefined): TranscriptProblem[] {
  const calls = toolCallsOf(message);
  const results = next?.role === 'tool' ? next.content : [];
  const answered = results.map((result) => result.callId);
  const missing = calls.filter((call) => !answered.includes(call.id));
  if (missing.length > 0) return missing.map(({ id }) => ({ index, kind: 'missing_result', callId: id }));
  const misplaced = calls.find((call, position) => answered[position] !== call.id);
  return misplaced && answered.length === calls.length
    ? [{ index: index + 1, kind: 'wrong_order', callId: misplaced.id }]
    : [];
}

function strayResults(messages: readonly Message[], index: number): TranscriptProblem[] {
  const message = messages[index];
  if (message?.role !== 'tool') return [];
  const before = messages[index - 1];
  const asked = before ? toolCallsOf(before).map((call) => call.id) : [];
  const seen = new Set<string>();
  const problems: TranscriptProblem[] = [];
  for (const { callId } of message.content) {
    if (!asked.includes(callId)) problems.push({ index, kind: 'orphan_result', callId });
    else if (seen.has(callId)) problems.push({ index, kind: 'duplicate_result', callId });
    seen.add(callId);
  }
  return problems;
}

/** The message that answers `calls`: one result each, in request order, whatever the order of `results`. */
export function toolMessage(
  id: string,
  calls: readonly ToolCallBlock[],
  results: ReadonlyMap<string, ToolResultBlock>,
): ToolMessage {
  return {
    role: 'tool',
    id,
    content: calls.map((call) => results.get(call.id) ?? noResultRecorded(call)),
  };
}

/**
 * Gives each tool call of any transcript exactly one result, directly after it and in request order: what is missing
 * is told as interrupted, what is out of place is put in place, orphans and duplicates go, an id used again is made
 * unique. A finished result wins over an interrupted one. Idempotent; a valid transcript is returned as it is.
 */
export function reconcile<Given extends readonly Message[]>(messages: Given): Given | Message[] {
  if (transcriptProblems(messages).length === 0) return messages;
  const usedIds = new Set<string>();
  const repaired: Message[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') continue;
    if (message.role !== 'assistant' || toolCallsOf(message).length === 0) {
      repaired.push(message);
      continue;
    }
    const results = resultsInScope(messages, index);
    const [assistant, answers] = pairUp(message, results, usedIds);
    repaired.push(assistant, { role: 'tool', id: toolMessageId(messages, index), content: answers });
  }
  return repaired;
}

/** A call's results may stand anywhere up to the next assistant message that uses one of its ids again. */
function resultsInScope(messages: readonly Message[], callerIndex: number): ToolResultBlock[] {
  const caller = messages[callerIndex];
  const ids = new Set(caller ? toolCallsOf(caller).map((call) => call.id) : []);
  const found: ToolResultBlock[] = [];
  for (const message of messages.slice(callerIndex + 1)) {
    for (const call of toolCallsOf(message)) ids.delete(call.id);
    if (message.role === 'tool') found.push(...message.content.filter((result) => ids.has(result.callId)));
    if (ids.size === 0) break;
  }
  return found;
}

function toolMessageId(messages: readonly Message[], callerIndex: number): string {
  const next = messages[callerIndex + 1];
  return next?.role === 'tool' ? next.id : `${messages[callerIndex]?.id}-results`;
}

function pairUp(
  message: AssistantMessage,
  results: ToolResultBlock[],
  usedIds: Set<string>,
): [AssistantMessage, ToolResultBlock[]] {
  const calls = toolCallsOf(message);
  const left = [...results];
  const answers: ToolResultBlock[] = [];
  const newIds = new Map<ToolCallBlock, string>();
  for (const call of calls) {
    const more = calls.filter((other) => other.id === call.id).length > 1;
    const result = takeResult(left, call.id, more);
    const id = uniqueId(call.id, usedIds);
    newIds.set(call, id);
    answers.push(result ? { ...result, callId: id } : noResultRecorded({ id, name: call.name }));
  }
  const content = message.content.map((block) =>
    block.type === 'tool_call' ? { ...block, id: newIds.get(block) ?? block.id } : block,
  );
  return [{ ...message, content }, answers];
}

/** Where several calls of one message share an id, results go to them in order; else a finished one wins. */
function takeResult(
  left: ToolResultBlock[],
  callId: string,
  idIsShared: boolean,
): ToolResultBlock | undefined {
  const own = left.filter((result) => result.callId === callId);
  const chosen = idIsShared ? own[0] : (own.find((result) => result.status !== 'interrupted') ?? own[0]);
  if (chosen) left.splice(left.indexOf(chosen), 1);
  return chosen;
}

/** `id`, or where that is taken `id__2`, `id__3` ...; at most 64 characters, which providers take. */
export function uniqueId(id: string, usedIds: Set<string>): string {
  let candidate = id;
  for (let count = 2; usedIds.has(candidate); count++) {
    const suffix = `__${count}`;
    candidate = id.slice(0, 64 - suffix.length) + suffix;
  }
  usedIds.add(candidate);
  return candidate;
}
