import {
  type Client,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { SESSION_WORKFLOW, type SessionInput } from '../shared/session.js';
import { SEND, type SendReceipt, type SendRequest } from '../shared/session-requests.js';
import { WORKFLOW_TASK_TIMEOUT } from '../shared/turn.js';
import { wireLine } from '../shared/wire-text.js';
import { SessionClosed } from './errors.js';

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
  const { client } = place;
  try {
    return await client.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflow.executeUpdateWithStart<Session, SendReceipt, [SendRequest]>(SEND, {
        args: [request],
        startWorkflowOperation: new WithStartWorkflowOperation<Session>(SESSION_WORKFLOW, {
          ...startOptions(place),
          workflowIdConflictPolicy: 'USE_EXISTING',
        }),
      }),
    );
  } catch (error) {
    if (isClosed(error)) throw closed(place.sessionId);
    if (!isLost(error)) throw error;
  }
  try {
    await client.workflow.signalWithStart<Session, [SendRequest]>(SESSION_WORKFLOW, {
      ...startOptions(place),
      signal: SEND,
      signalArgs: [request],
    });
    return undefined;
  } catch (error) {
    throw isClosed(error) ? closed(place.sessionId) : error;
  }
}

/** Starts a session, and is satisfied where it runs already. */
export async function startSession(place: SessionPlace): Promise<{ isNew: boolean }> {
  try {
    await place.client.workflow.start<Session>(SESSION_WORKFLOW, startOptions(place));
    return { isNew: true };
  } catch (error) {
    if (isClosed(error)) return { isNew: false };
    throw error;
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

function closed(sessionId: string): SessionClosed {
  return new SessionClosed(
    `The session ${sessionId} has ended. Fork it while it runs, or begin another one.`,
  );
}

/** gRPC's codes: the deadline, no room for one more update, no answer, an update that a new run of the session never saw. */
const LOST = [1, 4, 5, 8, 10, 14];

/** It may have been taken or not. */
function isLost(error: unknown): boolean {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  if (error instanceof WorkflowNotFoundError) return true;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return isGrpcServiceError(cause) && LOST.includes(cause.code);
}
