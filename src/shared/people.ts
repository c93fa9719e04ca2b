import { callersId } from './interventions.js';
import { isJsonObject, type Json, type JsonObject, jsonBytes } from './json.js';
import type { ToolResultBlock } from './messages.js';
import type { PermissionMode } from './permissions.js';
import { answered, deniedByPerson, deniedByTimeout, invalidArguments, notAnswered } from './tool-results.js';
import { wireId, wireText } from './wire-text.js';

// What a turn waits for from people. Signals and updates of these names decide it.
export const APPROVE = 'approve';
export const DENY = 'deny';
export const ANSWER = 'answer';
/** The tool by which a model asks a person. */
export const ASK_USER = 'ask_user';
export type DecisionKind = typeof APPROVE | typeof DENY | typeof ANSWER;

/**
 * The workflow's memo that tells what it waits for and what has just been decided. It is part of the event history: what
 * counted, in which order, is read from it; and of the list of workflows, so that nobody has to ask each turn.
 */
export const PEOPLE_MEMO = 'holdfast.people';

/** The argument of an `approve`, a `deny` or an `answer`. */
export type ApproveRequest = {
  v: 1;
  /** Sent twice under one id, it counts once. */
  id?: string;
  callId: string;
  reason?: string;
  by?: string;
  /** In place of what the model wrote: the call runs with these. */
  arguments?: JsonObject;
  /** The same is allowed for the rest of the turn. */
  always?: boolean;
};
export type DenyRequest = { v: 1; id?: string; callId: string; reason?: string; by?: string };
export type AnswerRequest = { v: 1; id?: string; callId: string; answer: string; by?: string };

/** What a person is asked. */
export type PersonRequest = {
  callId: string;
  /** The tool's. */
  name: string;
  summary: string;
  /** ISO 8601: since when it waits, and when it is denied where nobody decides. */
  since: string;
  until?: string;
} & (
  | {
      kind: 'approval';
      /** Which rule, mode or tool asks. */
      why: string;
      /** The rules that "always" adds for the rest of the turn; none where it can't be said in rules. */
      always: string[];
      /** Absent where it is long: then it is in the event history. */
      input?: Json;
      mode?: PermissionMode;
    }
  | { kind: 'question'; question: string; choices?: string[] }
);

/** What counted. `overdue`: nobody decided in time. */
export type PersonDecision = {
  callId: string;
  /** Of the message; of none where it was overdue. */
  id?: string;
  by?: string;
  reason?: string;
} /** `isChecked`: a worker looks at the changed arguments before the call runs; old turns could not change a sub-agent's. */ & (
  | { kind: 'approved'; changed?: true; isChecked?: true; always?: string[] }
  | { kind: 'denied' }
  | { kind: 'overdue' }
  | { kind: 'answered'; answer: string }
);

export type PeopleMemo = {
  v: 1;
  /** As many as a memo has room for; the state query tells all. */
  waiting: Pick<PersonRequest, 'callId' | 'name' | 'summary' | 'since' | 'kind' | 'until'>[];
  /** How many wait. */
  count: number;
  decided: PersonDecision[];
};

/** `answer`: a call whose result is there already, and given once it is approved. */
export type AskedCall = 'question' | 'tool' | 'sub_agent' | 'answer';

/**
 * The result of a call that a decision settles by itself; an approved call has its own. What is put in the place of its
 * arguments a worker checks.
 */
export function resultOfDecision(
  called: { id: string; name: string },
  decision: PersonDecision,
  kind: AskedCall,
): ToolResultBlock | undefined {
  switch (decision.kind) {
    case 'approved':
      return isFixed(decision, kind) ? invalidArguments(called, [FIXED]) : undefined;
    case 'denied':
      return deniedByPerson(called, decision.reason);
    case 'overdue':
      return kind === 'question' ? notAnswered(called) : deniedByTimeout(called);
    case 'answered':
      return answered(called, decision.answer);
    default:
      return decision satisfies never;
  }
}

function isFixed({ changed, isChecked }: Extract<PersonDecision, { kind: 'approved' }>, kind: AskedCall) {
  return changed && (kind === 'answer' || (kind === 'sub_agent' && !isChecked));
}

const FIXED =
  'the user approved it with other arguments, and its own can only be approved as they are or denied';

/** The model is to know with what its call was really run. */
export function withChange(result: ToolResultBlock, input: Json): ToolResultBlock {
  const text = wireText(
    `[The user changed the arguments, and it was run with: ${JSON.stringify(input)}]`,
    4000,
  );
  const note = { type: 'text' as const, id: `${result.callId}.${result.content.length}`, text };
  return { ...result, content: [...result.content, note] };
}

/** UTF-8 bytes of JSON. What is said is kept in a memo, which some databases bound to 64 KB. */
export const MAX_ANSWER_BYTES = 8000;
export const MAX_CHANGED_BYTES = 200_000;
const MAX_REASON_BYTES = 1000;

export type ReadDecision = {
  id: string;
  callId: string;
  reason?: string;
  by?: string;
  arguments?: JsonObject;
  always: boolean;
  answer?: string;
};

/** Reads whatever came; `problem` says what is wrong with it. */
export function readDecision(
  kind: DecisionKind,
  raw: unknown,
  fallbackId: string,
): ReadDecision | { id: string; problem: string } {
  const given = isJsonObject(raw) ? raw : {};
  const text = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  const [callId, reason, by, answer] = [text('callId'), text('reason'), text('by'), text('answer')];
  const givenId = text('id');
  const id = givenId ? callersId(givenId) : fallbackId;
  const refused = (problem: string) => ({ id, problem });
  if (!callId) return refused('callId: give the id of the call that it is about');
  const { arguments: changed, always } = given;
  if (changed !== undefined && !isJsonObject(changed)) return refused('arguments: expected an object');
  if (changed && jsonBytes(changed) > MAX_CHANGED_BYTES)
    return refused(`arguments: may take ${MAX_CHANGED_BYTES} bytes`);
  if (changed && always === true)
    return refused('always: not with changed arguments, which it does not speak of');
  if (kind === ANSWER && answer === undefined) return refused('answer: expected a text');
  if (answer !== undefined && jsonBytes(answer) > MAX_ANSWER_BYTES)
    return refused(`answer: may take ${MAX_ANSWER_BYTES} bytes`);
  return {
    id,
    callId,
    always: kind === APPROVE && always === true,
    ...(kind === APPROVE && changed && { arguments: changed }),
    ...(kind === ANSWER && answer !== undefined && { answer: answer.toWellFormed() }),
    ...(reason !== undefined && { reason: wireText(reason, MAX_REASON_BYTES) }),
    ...(by !== undefined && { by: wireId(by) }),
  };
}
