import {
  type Client,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import type { CutPlace } from '../shared/cut-transcript.js';
import { RECEIPT_QUERY, STEER, type SteerRequest } from '../shared/interventions.js';
import { SESSION_WORKFLOW, type SessionInput } from '../shared/session.js';
import type { SessionMessages } from '../shared/session-activities.js';
import { SEND, type SendReceipt, type SendRequest } from '../shared/session-requests.js';
import { WORKFLOW_TASK_TIMEOUT } from '../shared/turn.js';
import { wireLine } from '../shared/wire-text.js';
import { InvalidInput } from './errors.js';
import { sessionError, whyNot } from './session-calls.js';

/** For the session's answer; without it the message is sent as a signal, which needs no worker. */
const ANSWER_MS = 5000;

type SessionPlace = { client: Client; sessionId: string; taskQueue: string; input: SessionInput };
type Session = (input: SessionInput) => Promise<unknown>;

/**
 * Sends a message to a session, which is started with `input` where it does not exist yet. By update, which answers with a
 * receipt; where no answer comes, by signal: it bears an id, so that it counts once in either case. Then the receipt is
 * undefined. Throws {@link SessionClosed} for a session that has ended.
 */
export async function sendToSession(
  place: SessionPlace,
  request: SendRequest & { id: string },
): Promise<SendReceipt | undefined> {
  const { workflow } = place.client;
  const startWorkflowOperation = () =>
    new WithStartWorkflowOperation<Session>(SESSION_WORKFLOW, {
      ...startOptions(place),
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
  return await answered(place, request.id, {
    ask: () =>
      workflow.executeUpdateWithStart<Session, SendReceipt, [SendRequest]>(SEND, {
        args: [request],
        startWorkflowOperation: startWorkflowOperation(),
      }),
    tell: () =>
      workflow.signalWithStart<Session, [SendRequest]>(SESSION_WORKFLOW, {
        ...startOptions(place),
        ...{ signal: SEND, signalArgs: [request] },
      }),
  });
}

/** As {@link sendToSession}, to one that exists. */
export async function steerSession(
  place: SessionPlace,
  request: SteerRequest & { id: string },
): Promise<SendReceipt | undefined> {
  const handle = place.client.workflow.getHandle(place.sessionId);
  return await answered(place, request.id, {
    ask: () => handle.executeUpdate<SendReceipt, [SteerRequest]>(STEER, { args: [request] }),
    tell: () => handle.signal(STEER, request),
  });
}

async function answered(
  place: SessionPlace,
  id: string,
  { ask, tell }: { ask(): Promise<SendReceipt>; tell(): Promise<unknown> },
): Promise<SendReceipt | undefined> {
  const until = Date.now() + ANSWER_MS;
  try {
    return await place.client.withDeadline(until, ask);
  } catch (error) {
    if (isClosed(error)) throw await whyNot(place.client, place.sessionId);
    if (!isLost(error)) throw error;
  }
  try {
    await tell();
  } catch (error) {
    throw isClosed(error)
      ? await whyNot(place.client, place.sessionId)
      : await sessionError(place.client, place.sessionId, error);
  }
  return await receiptUntil(place, id, until);
}

async function receiptUntil(
  { client, sessionId }: SessionPlace,
  id: string,
  until: number,
): Promise<SendReceipt | undefined> {
  if (Date.now() >= until) return undefined;
  const handle = client.workflow.getHandle(sessionId);
  const ask = () => handle.query<SendReceipt | null, [string]>(RECEIPT_QUERY, id);
  return (await client.withDeadline(until, ask).catch(() => undefined)) ?? undefined;
}

/** A new session that begins with messages of another one, kept up to a place. Throws where there is one of its id. */
export async function startFork(
  place: SessionPlace,
  from: { sessionId: string; keep: CutPlace; messages: SessionMessages },
): Promise<void> {
  const { sessionId, keep } = from;
  const { base, compacted, artifacts } = from.messages;
  const at = typeof keep === 'string' ? undefined : 'upTo' in keep ? keep.upTo : keep.before;
  const input: SessionInput = {
    ...place.input,
    ...(base && { earlier: base }),
    ...(compacted && { compacted }),
    ...(artifacts && { artifacts }),
    forkedFrom: { sessionId, ...(at !== undefined && { at }) },
  };
  try {
    await place.client.workflow.start<Session>(SESSION_WORKFLOW, startOptions({ ...place, input }));
  } catch (error) {
    if (!isClosed(error)) throw error;
    throw new InvalidInput(`There is a session ${place.sessionId} already. Give the fork another id.`);
  }
}

function startOptions({ sessionId, taskQueue, input }: SessionPlace) {
  return {
    workflowId: sessionId,
    taskQueue,
    args: [input] as [SessionInput],
    // A session that has ended would begin anew, without its messages.
    workflowIdReusePolicy: 'REJECT_DUPLICATE' as const,
    workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT,
    staticSummary: wireLine(input.title ?? 'session'),
  };
}

function isClosed(error: unknown): boolean {
  return error instanceof WorkflowExecutionAlreadyStartedError;
}

/** gRPC's codes of what no second try mends: what was sent, and who sends it. */
const FINAL = [3, 7, 16];

/**
 * It may have been taken or not: no answer in time, no room for one more update, a worker that died, a session that went on in a
 * new run just then.
 */
function isLost(error: unknown): boolean {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  if (error instanceof WorkflowNotFoundError) return true;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return isGrpcServiceError(cause) && !FINAL.includes(cause.code);
}
