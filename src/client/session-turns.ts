import { setMaxListeners } from 'node:events';
import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import type { CarriedSession } from '../shared/carried-session.js';
import type { SessionCompaction } from '../shared/session.js';
import { WITHDRAW, type WithdrawReceipt } from '../shared/session-requests.js';
import { TURN_WORKFLOW } from '../shared/turn.js';
import { CompactionsOfRun } from './compactions-of-run.js';
import { runPages } from './history-pages.js';
import { isNotFound } from './not-found.js';
import { decodePayloads } from './payloads.js';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** `isRefused`: a workflow of its id was there before. `isWithdrawn`: it will never begin. */
export type StartedTurn = { turnId: string; isRefused?: true; isWithdrawn?: true; compaction?: undefined };
/** The session was compacted after that turn, the `number`th time since; `''` for one before its first turn. */
export type CompactedAfter = { turnId: string; number: number; compaction: SessionCompaction };

/**
 * The workflow ids of a session's turns, in order: those that the session remembers, then those that it has started since; and what
 * was compacted between them. With `follow` also those to come, to the session's end or until the signal fires. From the event history, so that no worker is needed.
 */
export async function* sessionTurns(
  client: Client,
  sessionId: string,
  follow?: AbortSignal,
): AsyncGenerator<StartedTurn | CompactedAfter, void, undefined> {
  // Each long poll listens on it, for as long as the session goes on.
  if (follow) setMaxListeners(0, follow);
  const known = new Set<string>();
  const compactions = new Map<string, number>();
  for (let isFollowing = true; isFollowing; ) {
    isFollowing = false;
    try {
      for await (const turn of turnsFromLastRun(client, sessionId, follow)) {
        if (turn.compaction) {
          if (turn.number <= (compactions.get(turn.turnId) ?? 0)) continue;
          compactions.set(turn.turnId, turn.number);
          yield turn;
          continue;
        }
        if (known.has(turn.turnId)) continue;
        if (!turn.isRefused && !turn.isWithdrawn) known.add(turn.turnId);
        yield turn;
      }
    } catch (error) {
      // While a turn was watched, the run that started it has been forgotten: the last one knows them all.
      if (follow?.aborted) return;
      isFollowing = isNotFound(error) && known.size > 0;
      if (!isFollowing) throw error;
    }
  }
}

async function* turnsFromLastRun(
  client: Client,
  sessionId: string,
  follow: AbortSignal | undefined,
): AsyncGenerator<StartedTurn | CompactedAfter, void, undefined> {
  for (let runId: string | undefined = ''; runId !== undefined; ) {
    const pages: ReturnType<typeof runPages> = runPages(client, sessionId, runId, follow);
    const withdrawals = new Set<string>();
    const compactions = new CompactionsOfRun(client);
    let page: Awaited<ReturnType<typeof pages.next>> = await pages.next();
    for (; !page.done; page = await pages.next()) {
      for (const event of page.value) {
        for await (const turn of turnsIn(client, event)) {
          compactions.after(turn);
          yield turn;
        }
        yield* withdrawnIn(client, event, withdrawals);
        yield* compactions.in(event);
      }
    }
    runId = page.value;
  }
}

async function* turnsIn(
  client: Client,
  event: HistoryEvent,
): AsyncGenerator<StartedTurn | CompactedAfter, void, undefined> {
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
  for (const { turnId, outcome, compactions = [] } of turns) {
    yield { turnId, ...(outcome === 'not_started' && { isRefused: true as const }) };
    for (const [index, compaction] of compactions.entries()) yield { turnId, number: index + 1, compaction };
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
