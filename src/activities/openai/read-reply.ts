import type { Json } from '../../shared/json.js';
import type { ModelResponse } from '../../shared/model-port.js';
import type { Usage } from '../../shared/usage.js';
import { isNetworkError } from './classify-error.js';
import { modelFailure } from './model-failure.js';
import type { StreamEvent } from './server-sent-events.js';

/** How long the usage may come after the finish reason, and the connection's end after the usage or `[DONE]`. */
const AFTER_FINISH_MS = 5_000;
const AFTER_ALL_MS = 250;

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
  let done = false;
  let until = Infinity;
  for (;;) {
    const event = await nextEvent(iterator, until);
    if (event === undefined) break;
    if (event.type === 'end') {
      reply.finish();
      break;
    }
    const usage = reply.usage?.();
    if (event.type === 'done') done = true;
    else reply.add(event.value);
    const finished = done || reply.isFinished();
    if (finished) {
      const hasAll = done || reply.usage?.() !== usage;
      until = Math.min(until, performance.now() + (hasAll ? AFTER_ALL_MS : AFTER_FINISH_MS));
    }
    onEvent(finished);
  }
  return reply.end(done);
}

/**
 * Undefined at the end, and at `until`, which is finite once the reply is finished: it is not lost by a connection that
 * stays open or breaks after it, nor held up by what follows.
 */
async function nextEvent(
  iterator: AsyncIterator<StreamEvent>,
  until: number,
): Promise<StreamEvent | undefined> {
  const finished = until < Infinity;
  const leftMs = until - performance.now();
  if (leftMs <= 0) return undefined;
  const next = iterator.next().then(
    (result) => (result.done ? undefined : result.value),
    (error: unknown) => {
      if (finished) return undefined;
      if (!isNetworkError(error)) throw error;
      throw modelFailure('Model.StreamCut', error instanceof Error ? error.message : String(error));
    },
  );
  if (!finished) return await next;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, leftMs, undefined);
  });
  return await Promise.race([next, late]).finally(() => clearTimeout(timer));
}
