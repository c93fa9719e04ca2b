import type { RunToolInput, RunToolResult } from './activities.js';
import { withNote } from './changed-note.js';
import { WORKER_LOST } from './failures.js';
import type { Json, JsonObject } from './json.js';
import type { ToolResultBlock } from './messages.js';
import type { ToolEnd } from './settle.js';
import { asIs, cutInMiddle, textsIn, utf8 } from './shown-text.js';
import { answer, notStarted, toolThrew, workerLost } from './tool-results.js';
import { errorText } from './wire-text.js';

/** Of a tool that another worker runs: the activity that a call of it is. */
export type RemotePlace = {
  taskQueue: string;
  /** The activity's type. */
  activity: string;
  /** How long a call waits for a worker that takes it, milliseconds. */
  queueTimeoutMs: number;
  /** A worker that has given no sign of life for so long is taken for dead. Without it only the tool's timeout tells. */
  heartbeatTimeoutMs?: number;
  /** Of a result, as much as the model is given, in UTF-8 bytes. */
  maxResultBytes: number;
};

/** What the activity is given after the call's arguments. */
export type RemoteCall = {
  v: 1;
  tool: string;
  turnId: string;
  callId: string;
  iteration: number;
  /** The same for every attempt of this call and for no other. */
  idempotencyKey: string;
  /** The model is given so much of the result; what is longer is cut in its middle. */
  maxResultBytes: number;
  /** A person has put these arguments in the place of what the model wrote. */
  changed?: true;
  metadata?: JsonObject;
};

type Called = { id: string; name: string };

/** Whether an activity's second argument makes it a remote tool's: activities of ours have one argument. */
export function isRemoteCall(value: unknown): value is RemoteCall {
  if (typeof value !== 'object' || value === null) return false;
  return 'v' in value && 'tool' in value && 'callId' in value && 'idempotencyKey' in value;
}

/** The call as one of a tool of ours would be recorded. */
export function asToolInput(args: Json, call: RemoteCall): RunToolInput {
  const { v, tool, turnId, callId, iteration, changed } = call;
  return {
    v,
    tool,
    turnId,
    callId,
    iteration,
    input: args,
    agent: '',
    version: '',
    ...(changed && { changed }),
  };
}

/** What the activity returned. Never throws. */
export function remoteReturned(args: Json, call: RemoteCall, value: unknown): ToolEnd {
  const result = withNote(asToolInput(args, call), resultOf(call, value));
  return isWhole(call, value)
    ? { kind: 'completed', output: { v: 1, result } }
    : { kind: 'returned_much', inShort: result };
}

/** A text goes to the model as it is, anything else as JSON. */
function resultOf({ callId, tool, maxResultBytes }: RemoteCall, value: unknown): ToolResultBlock {
  try {
    const whole = { bytes: utf8(textOf(value)) };
    const text =
      asIs(whole, maxResultBytes) ?? cutInMiddle(whole, maxResultBytes, () => 'they could not be kept');
    const content = text === '' ? [] : [{ type: 'text' as const, id: `${callId}.0`, text }];
    return { type: 'tool_result', callId, name: tool, status: 'ok', content };
  } catch (error) {
    return toolThrew(
      { id: callId, name: tool },
      `${tool} ran, but its result can't be read: ${errorText(error)}`,
    );
  }
}

function textOf(value: unknown): string {
  const content = textsIn(value);
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  return content instanceof Uint8Array ? `[${content.length} bytes of binary data]` : JSON.stringify(content);
}

/** Whether the model is given all of it, and it is text. Else our own worker makes the result: it can keep artifacts. */
function isWhole({ maxResultBytes }: RemoteCall, value: unknown): boolean {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  if (list.some(isImage)) return false;
  try {
    return asIs({ bytes: utf8(textOf(value)) }, maxResultBytes) !== undefined;
  } catch {
    // Nested so deep that it can't be written here, nor there.
    return true;
  }
}

function isImage(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'image';
}

/** How the activity ended that returned nothing. */
export type RemoteFault =
  | { is: 'canceled'; details: unknown }
  /** `tried`: after a try that had come to nothing. */
  | { is: 'timeout'; which: 'queue' | 'heartbeat' | 'other'; tried?: boolean }
  | { is: 'failure'; type: string | undefined; text: string };

/** What the server gives as the details of a cancellation of what no worker has taken. */
const NOT_TAKEN = 'ACTIVITY_ID_NOT_STARTED';
/** How SDKs report an activity that they stopped because their worker shut down. */
const STOPPED_BY_SHUTDOWN = ['CancelledError', 'CancelledFailure', 'WorkerShutdown'];
/** What an SDK says in the place of a result that Temporal does not carry. */
export const TOO_LARGE = 'PayloadsTooLarge';
const TOO_LARGE_TEXT =
  "it ran, but what it returned takes more than 2 MB, which can't be carried. Ask for less at a time.";
/** These say nothing that a model could use. */
const PLAIN_TYPES = ['ApplicationError', 'ApplicationFailure', 'Error', 'Exception'];

/** Once a worker has taken it, nobody here knows how far it came. */
export function remoteFaultEnd(fault: RemoteFault): ToolEnd {
  switch (fault.is) {
    case 'canceled':
      return { kind: 'canceled', begun: fault.details !== NOT_TAKEN };
    case 'timeout':
      if (fault.which === 'queue') return fault.tried ? { kind: 'lost', begun: true } : { kind: 'not_taken' };
      return fault.which === 'heartbeat' ? { kind: 'lost', begun: true } : { kind: 'overdue' };
    case 'failure': {
      const { type = 'Error', text } = fault;
      if (type === WORKER_LOST || STOPPED_BY_SHUTDOWN.includes(type)) return { kind: 'lost', begun: true };
      if (type === TOO_LARGE) return { kind: 'failed', type, text: TOO_LARGE_TEXT };
      // An exception's text alone may be as little as `'page'`.
      const told = PLAIN_TYPES.includes(type) || text.startsWith(type) ? text : `${type}: ${text}`;
      return { kind: 'failed', type, text: told };
    }
    default:
      return fault satisfies never;
  }
}

/** No worker had the call, so that nothing has happened. */
export function noWorker(call: Called, { taskQueue, queueTimeoutMs }: RemotePlace): ToolResultBlock {
  const text = `Error: no worker took the call of ${call.name} from the task queue "${taskQueue}" in ${queueTimeoutMs / 1000} s. It was not run.`;
  return answer(call, 'error', 'no_worker', text);
}

/** Whether its worker died or is slow, nobody can tell. */
export function noAnswerInTime(call: Called, timeoutMs: number, isRepeatable: boolean): ToolResultBlock {
  if (isRepeatable) return workerLost(call, true);
  const text = `${call.name} gave no answer in ${timeoutMs / 1000} s: its worker was lost, or it is still running. Whether it took effect is unknown, and it was not run again. Find out before you call it again.`;
  return answer(call, 'unknown', 'timed_out', text);
}

/** Longer ones are in our artifact store, which the other worker has not. */
export function tooLongForRemote(call: Called, bytes: number): ToolResultBlock {
  const text = `Error: the arguments of ${call.name} take ${bytes} bytes, which is more than it can be given. It was not run. Send shorter arguments, in several calls.`;
  return answer(call, 'error', 'arguments_not_kept', text);
}

/** Of a look at a person's own arguments: the result where the call is not to run. */
export function resultOfCheck(call: Called, end: ToolEnd): ToolResultBlock | undefined {
  if (end.kind === 'canceled') return notStarted(call);
  if (end.kind !== 'completed')
    return notChecked(call, end.kind === 'failed' ? end.text : 'no worker answered');
  const { result }: Partial<RunToolResult> = end.output;
  return result;
}

function notChecked(call: Called, problem: string): ToolResultBlock {
  return answer(
    call,
    'error',
    'approval_failed',
    `Error: the arguments that the user gave ${call.name} could not be checked: ${problem}. It was not run.`,
  );
}
