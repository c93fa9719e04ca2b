import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Artifacts } from '../artifacts/artifacts.js';
import type { TranscriptBase } from '../shared/carried.js';
import type { Message } from '../shared/messages.js';
import type { TranscriptRef, TranscriptSpan } from '../shared/transcript-ref.js';
import { MESSAGES_QUERY, type MessagesPage, type MessagesPageRequest } from '../shared/turn.js';
import { errorText, wireText } from '../shared/wire-text.js';
import type { TranscriptCache } from './transcript-cache.js';
import { unpackSegment } from './transcript-segments.js';

/** A query needs a worker that has the workflow; longer than this and the activity's own retry is the better wait. */
const QUERY_DEADLINE_MS = 3000;
const LONGEST_DEADLINE_MS = 15_000;
const RETRY_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

/**
 * How long a try waits for an answer, and how long the next one for its turn. A worker that has died is soon replaced;
 * one that has too much to do has to replay the workflow first. The ten tries of a model call take over four minutes.
 */
export function patienceOf(attempt: number): { deadlineMs: number; delayMs: number } {
  return {
    deadlineMs: Math.min(QUERY_DEADLINE_MS * attempt, LONGEST_DEADLINE_MS),
    delayMs: Math.min(RETRY_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS),
  };
}

/** Reads what a {@link TranscriptRef} names: from this process's cache, or from the workflow, in pages. */
export class TranscriptReader {
  readonly #cache: TranscriptCache;
  readonly #artifacts: Artifacts;
  /** What was read from workflows and from the artifact store so far: for tests, benches and metrics. */
  readonly stats = { hits: 0, misses: 0, pages: 0, bytes: 0 };

  constructor(cache: TranscriptCache, artifacts: Artifacts) {
    this.#cache = cache;
    this.#artifacts = artifacts;
  }

  /**
   * Throws a retryable `Transcript.Unavailable` when no worker answers for the workflow in time, and
   * `Artifact.NotFound` where this worker lacks what an earlier run has packed.
   */
  async read(ref: TranscriptRef): Promise<readonly Message[]> {
    const spans = await Promise.all(ref.spans.map((span) => this.#readSpan(span)));
    return [...spans.flat(), ...ref.tail];
  }

  async #readSpan(span: TranscriptSpan): Promise<readonly Message[]> {
    const held = this.#held(span);
    if (isWhole(held, span)) {
      this.stats.hits += 1;
      return held;
    }
    this.stats.misses += 1;
    const from = held.length < span.to ? held.length : 0;
    const whole = [...held.slice(0, from), ...(await this.#fetch(span, from))];
    if (isWhole(whole, span)) return whole;
    // What was held came from an attempt that did not count: read all of it anew.
    this.#cache.drop(cacheKey(span));
    const fresh = await this.#fetch(span, 0);
    if (isWhole(fresh, span)) return fresh;
    throw unavailable(span, `it no longer holds message ${span.headId} at ${span.to}`);
  }

  #held(span: TranscriptSpan): readonly Message[] {
    return this.#cache.get(cacheKey(span), span.epoch, span.to);
  }

  async #fetch(span: TranscriptSpan, from: number): Promise<readonly Message[]> {
    const fetched: Message[] = [];
    for (let next = from; next < span.to; ) {
      const page = await this.#queryPage(span, { v: 1, from: next, to: span.to });
      this.stats.pages += 1;
      const messages = page.base ? await this.#unpack(page.base, next) : page.messages;
      this.stats.bytes += page.base ? 0 : Buffer.byteLength(JSON.stringify(messages));
      if (messages.length === 0) break;
      this.#cache.add(cacheKey(span), span.epoch, next, messages);
      fetched.push(...messages);
      next += messages.length;
    }
    return fetched;
  }

  /** The messages of a base from `from` on. */
  async #unpack(base: TranscriptBase, from: number): Promise<Message[]> {
    const unpacked: Message[] = [];
    let first = 0;
    for (const segment of base.segments) {
      const end = first + segment.count;
      if (end > from) {
        const messages = await unpackSegment(segment, this.#artifacts);
        this.stats.bytes += segment.bytes;
        unpacked.push(...messages.slice(Math.max(0, from - first)));
      }
      first = end;
    }
    return unpacked;
  }

  async #queryPage(span: TranscriptSpan, request: MessagesPageRequest): Promise<MessagesPage> {
    const { client, info } = Context.current();
    const { deadlineMs } = patienceOf(info.attempt);
    const handle = client.workflow.getHandle(span.workflowId, span.runId);
    try {
      return await client.withDeadline(Date.now() + deadlineMs, () =>
        handle.query<MessagesPage, [MessagesPageRequest]>(MESSAGES_QUERY, request),
      );
    } catch (error) {
      throw unavailable(span, whyNot(error));
    }
  }
}

/** Of all the runs of a turn. */
function cacheKey(span: TranscriptSpan): string {
  return span.firstRunId ?? span.runId;
}

function isWhole(messages: readonly Message[], span: TranscriptSpan): boolean {
  return messages.length === span.to && messages.at(-1)?.id === span.headId;
}

/** The client wraps what gRPC says in words that don't tell it. */
function whyNot(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error ? `${errorText(error)}: ${errorText(cause)}` : errorText(error);
}

function unavailable(span: TranscriptSpan, why: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'Transcript.Unavailable',
    message: wireText(`The transcript of ${span.workflowId} could not be read: ${why}`),
    nextRetryDelay: patienceOf(Context.current().info.attempt).delayMs,
  });
}
