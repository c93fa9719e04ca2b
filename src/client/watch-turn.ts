import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { TurnEvent } from '../shared/events.js';
import { TurnFold } from '../shared/fold.js';
import { EventQueue } from './event-queue.js';
import { historyPages } from './history-pages.js';
import { LiveEvents } from './live-events.js';
import { RecordedSteps } from './recorded-steps.js';
import { SubAgentWatches } from './sub-agent-watches.js';

/** While nothing streams. */
const LIVE_POLL_MS = 100;
/** After news: a little less than from one beat to the next, so that polls keep close behind the beats. */
const AFTER_NEWS_MS = 95;
/** Where the next beat was not there yet; so often, then nothing streams for now. */
const SOON_MS = 15;
const SOON_POLLS = 5;

/**
 * Two sources, one stream: the event history (a long poll, so that what is recorded shows at once) and, between its
 * events, the heartbeats of what is running, polled as {@link pollDelay} says. Neither needs a worker, nor leaves a
 * trace. The events of sub-agents are those that are recorded.
 */
export async function* watchTurn(
  client: Client,
  workflowId: string,
  options: { after?: number; signal?: AbortSignal; onlyRecorded?: boolean },
): AsyncIterableIterator<TurnEvent> {
  const queue = new EventQueue<TurnEvent>();
  const fold = new TurnFold();
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  // Each long poll listens on it, for as long as the turn goes on.
  setMaxListeners(0, signal);
  const recorded = followHistory(client, workflowId, fold, queue, signal).finally(() => stop.abort());
  const live = options.onlyRecorded ? undefined : pollLive(client, workflowId, fold, queue, signal);
  Promise.all([recorded, live]).then(
    () => queue.end(),
    // What waited for news when the caller stopped fails by that.
    (error: unknown) => (options.signal?.aborted ? queue.end() : queue.fail(error)),
  );
  try {
    for await (const event of queue) {
      const isOld = event.seq <= (options.after ?? 0);
      if (!isOld || (isPassing(event) && event.seq === options.after)) yield event;
    }
  } finally {
    stop.abort();
  }
}

async function followHistory(
  client: Client,
  workflowId: string,
  fold: TurnFold,
  queue: EventQueue<TurnEvent>,
  signal: AbortSignal,
): Promise<void> {
  const steps = new RecordedSteps(client.options.loadedDataConverter, workflowId);
  let seq = 0;
  const watches = new SubAgentWatches(
    (turnId, from) => watchTurn(client, turnId, { ...from, onlyRecorded: true }),
    (callId, event) => queue.push(subAgentEvent(fold, seq, callId, event)),
    signal,
  );
  for await (const events of historyPages(client, workflowId, signal)) {
    for (const event of events) {
      const step = await steps.read(event);
      for (const each of step ? fold.apply(step) : []) {
        await watches.before(each);
        seq = each.seq;
        queue.push(each);
        watches.after(each);
      }
    }
    if (fold.closed) return;
  }
}

async function pollLive(
  client: Client,
  workflowId: string,
  fold: TurnFold,
  queue: EventQueue<TurnEvent>,
  signal: AbortSignal,
): Promise<void> {
  const live = new LiveEvents(client.options.loadedDataConverter);
  const { namespace } = client.options;
  let pollsSinceNews = Infinity;
  let polledAt = performance.now();
  while (!signal.aborted) {
    const wait = polledAt + pollDelay(pollsSinceNews) - performance.now();
    await setTimeout(Math.max(SOON_MS, wait), undefined, { signal }).catch(() => undefined);
    polledAt = performance.now();
    if (signal.aborted || fold.turnId === '') continue;
    const seqBefore = fold.seq;
    const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId },
    });
    // What was recorded meanwhile is newer than this answer.
    const news = fold.seq === seqBefore ? await live.read(pendingActivities ?? [], fold) : [];
    queue.push(...news);
    pollsSinceNews = news.length > 0 ? 0 : pollsSinceNews + 1;
  }
}

/** From one poll to the next. 0 polls: the last one had news. */
function pollDelay(pollsSinceNews: number): number {
  if (pollsSinceNews === 0) return AFTER_NEWS_MS;
  return pollsSinceNews <= SOON_POLLS ? SOON_MS : LIVE_POLL_MS;
}

function subAgentEvent(fold: TurnFold, seq: number, callId: string, event: TurnEvent): TurnEvent {
  const { turnId, iteration } = fold;
  return { v: 1, seq, turnId, iteration, attempt: 0, at: event.at, type: 'sub_agent', callId, event };
}

function isPassing(event: TurnEvent): boolean {
  return ['text_delta', 'reset', 'retry_waiting', 'limit_waiting', 'tool_progress', 'sub_agent'].includes(
    event.type,
  );
}
