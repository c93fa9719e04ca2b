import type { CompactionRecord } from './compaction/settings.js';
import { type CutPlace, isCutPlace } from './cut-transcript.js';
import { callersId, MAX_STEER_BYTES, type SteerMessage } from './interventions.js';
import { isJsonObject, type JsonObject, jsonBytes } from './json.js';
import type { ExceededBudget } from './limits.js';
import type { PromptPart } from './prompt-parts.js';
import { isTitle } from './session.js';
import type { SessionMessages } from './session-activities.js';
import { isSessionLimitsChange, type SessionLimitsChange } from './session-limits.js';
import { is, isNonEmptyText, isOneOf, isShape, isText } from './shape.js';
import { isMetadata } from './turn-checks.js';
import { GIVEN_BY_PARENT, type GivenByParent, type TurnInput, turnInputProblems } from './turn-input.js';
import { versionProblem, WIRE_VERSION } from './version.js';
import { errorText, wireId } from './wire-text.js';

// What people and programs send to a session. `interrupt`, `stop`, `steer`, `approve`, `deny` and `answer` have the names and
// the arguments that they have for a turn, and go to the one that runs.

/** Signals, and updates of the same names. */
export const SEND = 'send';
export const DESCRIBE = 'describe';
export const CLOSE = 'close';
export const SET_LIMITS = 'setLimits';
/** Updates. */
export const ROLLBACK = 'rollback';
export const PREFIX = 'prefix';
export const WITHDRAW = 'withdraw';

export const WHILE_BUSY = ['queue', 'steer', 'replace'] as const;
/**
 * What becomes of a message while a turn runs. `queue`: its turn comes after those before it. `steer`: it joins the running
 * turn. `replace`: the running turn is interrupted, and this one is next.
 */
export type WhileBusy = (typeof WHILE_BUSY)[number];

/** A turn as a session is asked for it. */
export type TurnRequest = Omit<TurnInput, 'v' | 'transcript' | GivenByParent>;

export type SendRequest = { v: 1; id?: string; whileBusy?: WhileBusy; by?: string } & TurnRequest;

/** Of one message; the queue as a whole has a bound of its own. */
export const MAX_SEND_BYTES = 700_000;
/** It ends a turn's workflow id, whose other part is the session's id. */
export const SEND_ID = /^[a-zA-Z0-9][a-zA-Z0-9._:-]{0,98}$/;

const isSendId = is(
  'letters, digits and . _ : - (99 at most, the first a letter or a digit)',
  (value) => typeof value === 'string' && SEND_ID.test(value),
);

const isSend = isShape({}, { id: isSendId, whileBusy: isOneOf(...WHILE_BUSY), by: isText });

/** What is wrong with a message, one line each. */
export function sendProblems(value: unknown): string[] {
  if (!isJsonObject(value))
    return ['(it): expected an object such as {"v":1,"agent":"coder","prompt":"Hello"}'];
  const { id, whileBusy, by, ...input } = value;
  try {
    const fixed = ['transcript', ...GIVEN_BY_PARENT].filter((name) => input[name] !== undefined);
    const problems = [
      ...turnInputProblems(input),
      ...isSend({ ...given({ id, whileBusy, by }) }, ''),
      ...fixed.map((name) => `${name}: the session itself gives it to its turns`),
    ];
    const bytes = jsonBytes(value);
    if (problems.length > 0 || bytes <= MAX_SEND_BYTES) return problems;
    return [
      `(it): takes ${bytes} bytes; a message to a session may take ${MAX_SEND_BYTES}. Put long texts into a file that a tool reads, give images by their url.`,
    ];
  } catch (error) {
    return [errorText(error)];
  }
}

function given(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A message of which nothing is wrong. */
export function readSend(raw: SendRequest): {
  id?: string;
  whileBusy: WhileBusy;
  by?: string;
  request: TurnRequest;
} {
  const { v: _v, id, whileBusy = 'queue', by, ...request } = raw;
  return {
    whileBusy,
    request,
    ...(id !== undefined && { id }),
    ...(by !== undefined && { by: wireId(by) }),
  };
}

/** The text that joins a running turn, where the message can: it is a text, and not too long. */
export function steerOf(id: string, request: TurnRequest, by: string | undefined): SteerMessage | undefined {
  const { prompt, attachments = [] } = request;
  if (attachments.length > 0 || prompt.trim() === '' || jsonBytes(prompt) > MAX_STEER_BYTES) return undefined;
  return { id: callersId(id), message: prompt.toWellFormed(), ...(by !== undefined && { by }) };
}

/** These texts and then the request, as one prompt. */
export function openedBy(texts: readonly string[], request: TurnRequest): TurnRequest {
  const [first, ...rest] = texts;
  if (first === undefined) return request;
  const { prompt, attachments = [] } = request;
  const own = prompt === '' ? [] : [prompt];
  const parts: PromptPart[] = [...rest, ...own].map((text) => ({ type: 'text', text }));
  const all = [...parts, ...attachments];
  return { ...request, prompt: first, ...(all.length > 0 && { attachments: all }) };
}

/** Why a message has no turn whose workflow id somebody else has used. */
export function startedBefore(turnId: string): string {
  return `A workflow ${turnId} was started before. Give each message an id of its own, or none.`;
}

/**
 * What became of a message: it `started` a turn, is `queued`, `steered` into the running one, `refused`, or was `withdrawn`. `turnId` is the
 * workflow id of the turn that it is part of; `position`: how many turns are before that one.
 */
export type SendReceipt = {
  v: 1;
  id: string;
  status: 'started' | 'queued' | 'steered' | 'refused' | 'withdrawn';
  turnId?: string;
  position?: number;
  /** Of what it says: another message under its id is refused. */
  print?: string;
  /** It had come before, under the same id, and was not taken twice. */
  duplicate?: true;
  problem?: string;
  /** The session takes no message any more. */
  closed?: true;
  /** The limit of the session by which it was refused. */
  exceeded?: ExceededBudget;
};

/** What became of a message that is for the running turn: `done` where it was passed on, to the turn of that workflow id. */
export type PassedOn = {
  v: 1;
  status: 'done' | 'not_running' | 'refused';
  turnId?: string;
  problem?: string;
};

/** The argument of a `withdraw`: the id of the message. */
export type WithdrawRequest = { v: 1; id: string };
/**
 * What became of it. `withdrawn`: the message has no turn, and will have none. `started`: too late, it is part of the turn of that
 * workflow id. `unknown`: no such message came, or it was refused, or has been forgotten.
 */
export type WithdrawReceipt = {
  v: 1;
  status: 'withdrawn' | 'started' | 'unknown' | 'refused';
  turnId?: string;
  problem?: string;
};

const isWithdraw = isShape({ v: isOneOf(WIRE_VERSION), id: isNonEmptyText });

export function withdrawProblems(value: unknown): string[] {
  return isWithdraw(value, '');
}

/** The argument of a `rollback` and of a `prefix`: where the transcript is cut. */
export type CutRequest = { v: 1; keep: CutPlace };
/** Of a `prefix`: the messages up to there, and what turns are given in their place; absent where there are none. */
export type CutReceipt = {
  v: 1;
  status: 'done' | 'busy' | 'refused';
  messageCount: number;
  problem?: string;
} & SessionMessages;

/** The argument of a `compact`. `agent`: whose model writes the summary; default: the one of the last turn. */
export type SessionCompactRequest = { v: 1; id?: string; by?: string; focus?: string; agent?: string };
/**
 * What became of a `compact`. `done`: the next turn is given the shorter messages; `record` says how. `unchanged`: nothing came
 * of it, and `problem` says why. `passed_on`: the running turn does it before its next model call, or the session right after it.
 */
export type SessionCompactReceipt = {
  v: 1;
  status: 'done' | 'unchanged' | 'passed_on' | 'busy' | 'refused';
  turnId?: string;
  record?: CompactionRecord;
  problem?: string;
};

const isSessionCompact = isShape(
  { v: isOneOf(WIRE_VERSION) },
  { id: isText, by: isText, focus: isText, agent: isNonEmptyText },
);

export function sessionCompactProblems(value: unknown): string[] {
  return isSessionCompact(value, '');
}

/** The argument of a `setLimits`. */
export type SetLimitsRequest = { v: 1; limits: SessionLimitsChange };

const isSetLimits = isShape({ v: isOneOf(WIRE_VERSION), limits: isSessionLimitsChange });

export function setLimitsProblems(value: unknown): string[] {
  return isSetLimits(value, '');
}

const isCut = isShape({ v: isOneOf(WIRE_VERSION), keep: isCutPlace });

export function cutProblems(value: unknown): string[] {
  return isCut(value, '');
}

/** The argument of a `describe`: each field takes the place of what was there. */
export type DescribeRequest = { v: 1; title?: string; metadata?: JsonObject };

const isDescribe = isShape({ v: isOneOf(WIRE_VERSION) }, { title: isTitle, metadata: isMetadata });

export function describeProblems(value: unknown): string[] {
  return isDescribe(value, '');
}

/** The first problem of a value that crosses a process, or undefined. */
export function firstProblem(
  what: string,
  value: unknown,
  problemsOf: (value: unknown) => string[],
): string | undefined {
  return versionProblem(what, value) ?? problemsOf(value)[0];
}
