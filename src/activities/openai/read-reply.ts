import type { Json } from '../../shared/json.js';
import type { ModelResponse } from '../../shared/model-port.js';
import type { Usage } from '../../shared/usage.js';
import { isNetworkError } from './classify-error.js';
import { modelFailure } from './model-failure.js';
import type { StreamEvent } from './server-sent-events.js';

/** How long the usage may come after the finish reason, and the connection's end after the usage or `[DONE]`. */
const AFTER_FINISH_MS = 5_000;
const AFTER_ALL_MS = 250;
/** Where the finish reason stands on every piece, it says nothing of the end. */
const AFTER_PIECE_MS = 30_000;

/** `thinking`: it has begun, and nothing may be heard of it for as long as before its first word. */
export type ReplyPhase = 'beginning' | 'thinking' | 'saying';

/** `lacksCalls`: its ending announces tool calls, and there are none. */
export type WireReply = Omit<ModelResponse, 'model'> & { model?: string; lacksCalls?: true };

/** Puts a reply together from its events. Throws an APIError for an error among them. */
export type ReplyAccumulator<Reply = WireReply> = {
  add(event: Json): void;
  /** What was added was the whole body of an answer that is no stream. */
  finish(): void;
  isFinished(): boolean;
  phase(): ReplyPhase;
  /** How many of the events said something. */
  heard?(): number;
  /** What the provider has told up to now. */
  usage?(): Usage | undefined;
  /** `done`: the protocol's `[DONE]` came. Throws `Model.StreamCut` for a reply without its ending. */
  end(done: boolean): Reply;
};

/** With each event; `finished` once the reply has its ending, after which nothing needs to be waited for. */
export type OnEvent = (finished: boolean) => void;

/**
 * Reads one reply to its end. Throws `Model.StreamCut` for a stream that ends without its ending, whatever came of
 * it, and passes on what the events and the accumulator throw.
 */
export async function readReply<Reply>(
  events: AsyncIterable<StreamEvent>,
  reply: ReplyAccumulator<Reply>,
  onEvent: OnEvent,
): Promise<Reply> {
  const iterator = events[Symbol.asyncIterator]();
  const wait = waitAfterFinish();
  let done = false;
  for (;;) {
    const event = await nextEvent(iterator, wait);
    if (event === undefined) break;
    if (event.type === 'end') {
      reply.finish();
      break;
    }
    const before = { usage: reply.usage?.(), heard: reply.heard?.() };
    if (event.type === 'done') done = true;
    else if (!addTo(reply, event.value, wait)) break;
    const finished = done || reply.isFinished();
    const says = reply.heard?.() !== before.heard;
    if (finished) wait.restart({ done, says, hasUsage: reply.usage?.() !== before.usage });
    onEvent(finished);
  }
  return reply.end(done);
}

type AfterFinish = ReturnType<typeof waitAfterFinish>;

/** How long what follows the finish reason is waited for: its usage, `[DONE]`, the end; and pieces, from some servers. */
function waitAfterFinish() {
  let until = Infinity;
  let goesOn = false;
  let isOver = false;
  return {
    /** Whether the reply is whole, so that nothing that follows can undo it. */
    isOver: () => isOver,
    until: () => until,
    restart({ done, says, hasUsage }: { done: boolean; says: boolean; hasUsage: boolean }): void {
      const now = performance.now();
      if (says && !done) {
        goesOn = until < Infinity;
        isOver = !goesOn;
        until = now + (goesOn ? AFTER_PIECE_MS : AFTER_FINISH_MS);
      } else if (done || hasUsage || !goesOn) {
        isOver = true;
        until = Math.min(until, now + (done || hasUsage ? AFTER_ALL_MS : AFTER_FINISH_MS));
      }
    },
  };
}

/** False for an error after a reply that is whole. */
function addTo(reply: ReplyAccumulator<unknown>, value: Json, { isOver }: AfterFinish): boolean {
  try {
    reply.add(value);
    return true;
  } catch (error) {
    if (isOver()) return false;
    throw error;
  }
}

/**
 * Undefined at the end, and when it was waited for long enough. A reply that is over is not lost by a connection that
 * stays open or breaks after it, nor held up by what follows.
 */
async function nextEvent(
  iterator: AsyncIterator<StreamEvent>,
  { until, isOver }: AfterFinish,
): Promise<StreamEvent | undefined> {
  const leftMs = until() - performance.now();
  if (leftMs <= 0) return undefined;
  const next = iterator.next().then(
    (result) => (result.done ? undefined : result.value),
    (error: unknown) => {
      if (isOver()) return undefined;
      if (!isNetworkError(error)) throw error;
      throw modelFailure('Model.StreamCut', error instanceof Error ? error.message : String(error));
    },
  );
  if (leftMs === Infinity) return await next;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, leftMs, undefined);
  });
  return await Promise.race([next, late]).finally(() => {
    clearTimeout(timer);
    // Nobody may be there any more to hear of what breaks later.
    next.catch(() => undefined);
  });
}
