import { setMaxListeners } from 'node:events';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { CarriedSession } from '../shared/carried-session.js';
import { WITHDRAW, type WithdrawReceipt } from '../shared/session-requests.js';
import { TURN_WORKFLOW } from '../shared/turn.js';
import { runPages } from './history-pages.js';
import { decodePayloads } from './payloads.js';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** `isRefused`: a workflow of its id was there before. `isWithdrawn`: it will never begin. */
export type StartedTurn = { turnId: string; isRefused?: true; isWithdrawn?: true };

/** gRPC's code. */
const NOT_FOUND = 5;

/**
 * The workflow ids of a session's turns, in order: those that the session remembers, then those that it has started since. With
 * `follow` also those to come, to the session's end or until the signal fires. From the event history, so that no worker is needed.
 */
export async function* sessionTurns(
  client: Client,
  sessionId: string,
  follow?: AbortSignal,
): AsyncGenerator<StartedTurn, void, undefined> {
  // Each long poll listens on it, for as long as the session goes on.
  if (follow) setMaxListeners(0, follow);
  const known = new Set<string>();
  for (let isFollowing = true; isFollowing; ) {
    isFollowing = false;
    try {
      for await (const turn of turnsFromLastRun(client, sessionId, follow)) {
        if (known.has(turn.turnId)) continue;
        if (!turn.isRefused && !turn.isWithdrawn) known.add(turn.turnId);
        yield turn;
      }
    } catch (error) {
      // While a turn was watched, the run that started it has been forgotten: the last one knows them all.
      if (follow?.aborted) return;
      isFollowing = isGrpcServiceError(error) && error.code === NOT_FOUND && known.size > 0;
      if (!isFollowing) throw error;
    }
  }
}

async function* turnsFromLastRun(
  client: Client,
  sessionId: string,
  follow: AbortSignal | undefined,
): AsyncGenerator<StartedTurn, void, undefined> {
  for (let runId: string | undefined = ''; runId !== undefined; ) {
    const pages: ReturnType<typeof runPages> = runPages(client, sessionId, runId, follow);
    const withdrawals = new Set<string>();
    let page: Awaited<ReturnType<typeof pages.next>> = await pages.next();
    for (; !page.done; page = await pages.next()) {
      for (const event of page.value) {
        yield* turnsIn(client, event);
        yield* withdrawnIn(client, event, withdrawals);
      }
    }
    runId = page.value;
  }
}

async function* turnsIn(client: Client, event: HistoryEvent): AsyncGenerator<StartedTurn, void, undefined> {
  const child = event.childWorkflowExecutionStartedEventAttributes;
  if (child?.workflowType?.name === TURN_WORKFLOW && child.workflowExecution?.workflowId) {
    yield { turnId: child.workflowExecution.workflowId };
  }
  const refused = event.startChildWorkflowExecutionFailedEventAttributes?.workflowId;
  if (refused) yield { turnId: refused, isRefused: true };
  const started = event.workflowExecutionStartedEventAttributes;
  if (!started?.continuedExecutionRunId) return;
  const [, second] = await decodePayloads(client.options.loadedDataConverter, started.input?.payloads);
  const { turns, running, receipts } = second as CarriedSession;
  for (const { turnId, status } of receipts)
    if (turnId !== undefined && status === 'withdrawn') yield { turnId, isWithdrawn: true };
  for (const { turnId, outcome } of turns) {
    yield { turnId, ...(outcome === 'not_started' && { isRefused: true as const }) };
  }
  if (running) yield { turnId: running.turnId };
}

/** `accepted`: the ids of the events by which withdrawals were taken; the answers come later. */
async function* withdrawnIn(
  client: Client,
  { eventId, workflowExecutionUpdateAcceptedEventAttributes: asked, ...event }: HistoryEvent,
  accepted: Set<string>,
): AsyncGenerator<StartedTurn, void, undefined> {
  if (asked?.acceptedRequest?.input?.name === WITHDRAW) accepted.add(String(eventId));
  const answered = event.workflowExecutionUpdateCompletedEventAttributes;
  if (!answered || !accepted.has(String(answered.acceptedEventId))) return;
  const { payloads } = answered.outcome?.success ?? {};
  const [receipt] = await decodePayloads(client.options.loadedDataConverter, payloads);
  const { status, turnId } = receipt as WithdrawReceipt;
  if (status === 'withdrawn' && turnId !== undefined) yield { turnId, isWithdrawn: true };
}
