import type { PlannedCall } from '../shared/activities.js';
import { type Json, jsonBytes } from '../shared/json.js';
import type { PersonRequest } from '../shared/people.js';
import type { CallToRun } from './tool-activity.js';

export type Question = Extract<PlannedCall, { do: 'question' }>;

const SHOWN_INPUT_BYTES = 8000;

/** A call whose result is there, and given once a person has approved it. */
export type AskedAnswer = Extract<PlannedCall, { do: 'answer' }> & {
  asks: NonNullable<Extract<PlannedCall, { do: 'answer' }>['asks']>;
};

type Asked = Pick<CallToRun, 'callId' | 'name' | 'summary' | 'input' | 'permission'>;

export function isAskedAnswer(call: Extract<PlannedCall, { do: 'answer' }>): call is AskedAnswer {
  return call.asks !== undefined;
}

export function approvalRequest(call: Asked, timeoutMs: number | undefined): PersonRequest {
  const { permission } = call;
  const { why, always, mode } =
    permission?.policy === 'ask' ? permission : { why: '', always: [], mode: undefined };
  return {
    ...request(call, timeoutMs),
    ...{ kind: 'approval', why, always },
    ...shownInput(call.input),
    ...(mode !== undefined && { mode }),
  };
}

export function questionRequest(call: Question, timeoutMs: number | undefined): PersonRequest {
  const { question, choices } = call;
  return { ...request(call, timeoutMs), kind: 'question', question, ...(choices && { choices }) };
}

function request({ callId, name, summary }: Question | Asked, timeoutMs: number | undefined) {
  const now = Date.now();
  const until = timeoutMs === undefined ? undefined : new Date(now + timeoutMs).toISOString();
  return {
    callId,
    name,
    summary,
    since: new Date(now).toISOString(),
    ...(until !== undefined && { until }),
  };
}

/** A call's arguments, where the answer to a query has room for them. */
function shownInput(input: Json): { input?: Json } {
  return jsonBytes(input) <= SHOWN_INPUT_BYTES ? { input } : {};
}
