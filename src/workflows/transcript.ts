import { workflowInfo } from '@temporalio/workflow';
import type { CarriedTranscript, TranscriptBase } from '../shared/carried.js';
import { applyPieces, type Piece } from '../shared/compaction/pieces.js';
import { dropOldRounds } from '../shared/drop-rounds.js';
import { jsonBytes } from '../shared/json.js';
import type { Message } from '../shared/messages.js';
import type { TranscriptRef } from '../shared/transcript-ref.js';
import type { MessagesPage, MessagesPageRequest } from '../shared/turn.js';
import { cacheMessages } from './sinks.js';

const PAGE_BYTES = 900_000;

/**
 * The one truth about a turn's messages. Before each model call the new ones are handed to the worker's cache, by a
 * sink that leaves nothing in the history, so that the call's input only has to name where the messages are.
 *
 * What an earlier run of the turn has packed is a `base`, which comes before `messages` and is passed on unread.
 */
export class Transcript {
  readonly #messages: Message[] = [];
  #base: TranscriptBase | undefined;
  #bytes = 0;
  #measured = 0;
  /** Counts the rewrites: each makes the positions of before stale. */
  #epoch = 0;
  #dropped = false;
  #compacted = false;
  #deltaFrom = 0;
  /** How many messages the turn has added, dropped ones included. */
  #added = 0;
  /** The worker's cache has been handed the messages before this one. */
  #handedOut = 0;

  /** Those that this run holds itself. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  get count(): number {
    return (this.#base?.count ?? 0) + this.#messages.length;
  }

  get added(): number {
    return this.#added;
  }

  get lastRole(): Message['role'] | undefined {
    return this.#messages.at(-1)?.role ?? this.#base?.lastRole;
  }

  /** The turn's last reply, where this run holds it. */
  get lastReply(): Message | undefined {
    const own = this.#messages.slice(Math.max(0, this.#deltaFrom - (this.#base?.count ?? 0)));
    return own.findLast((message) => message.role === 'assistant');
  }

  get #headId(): string | undefined {
    return this.#messages.at(-1)?.id ?? this.#base?.headId;
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Those from a place on, as far as this run holds them. */
  since(position: number): readonly Message[] {
    return this.#messages.slice(Math.max(0, position - (this.#base?.count ?? 0)));
  }

  get packed(): TranscriptBase | undefined {
    return this.#base;
  }

  /** JSON bytes of the messages that this run holds. Measured when asked for: most turns never need it. */
  bytes(): number {
    const fresh = this.#messages.slice(this.#measured);
    this.#measured += fresh.length;
    this.#bytes += fresh.reduce((sum, message) => sum + jsonBytes(message), 0);
    return this.#bytes;
  }

  /** The messages before the turn's own ones, and these; the `earlier` ones of a session come right before them. */
  open(messages: readonly Message[], deltaFrom: number, earlier?: TranscriptBase): void {
    if (earlier) {
      this.#base = withFirst(earlier, messages.slice(0, deltaFrom));
      this.#dropped = earlier.compacted !== undefined;
      this.#deltaFrom = this.#base.count;
      this.#handedOut = this.#base.count;
      this.add(...messages.slice(deltaFrom));
    } else {
      this.#deltaFrom = deltaFrom;
      this.add(...messages);
    }
    this.#added = messages.length - deltaFrom;
  }

  /** As an earlier run has left it. */
  resume(carried: CarriedTranscript): void {
    this.#epoch = carried.epoch;
    this.#dropped = carried.dropped ?? carried.epoch > 0;
    this.#compacted = carried.compacted ?? false;
    this.#deltaFrom = carried.deltaFrom;
    if ('base' in carried) this.#base = carried.base;
    else this.add(...carried.messages);
    this.#handedOut = this.#base?.count ?? 0;
    this.#added = carried.added;
  }

  /** Puts what is none of the turn's own messages before all others. */
  begin(message: Message): void {
    if (this.#base) this.#base = withFirst(this.#base, [message]);
    else this.#messages.unshift(message);
    this.#deltaFrom += 1;
    this.#rewritten();
  }

  add(...added: Message[]): void {
    this.#messages.push(...added);
    this.#added += added.length;
  }

  /** Drops the oldest rounds where the messages take more JSON than that. Nothing is dropped of what was packed. */
  keepWithin(maxBytes: number): void {
    if (this.#base || this.bytes() <= maxBytes) return;
    const shorter = dropOldRounds(this.#messages, this.#deltaFrom, maxBytes);
    if (!shorter) return;
    this.#messages.splice(0, this.#messages.length, ...shorter.messages);
    this.#deltaFrom = shorter.firstOwn;
    this.#dropped = true;
    this.#rewritten();
  }

  /** Puts in its place what a compaction has made of it, which is whole in this run then. */
  compact(pieces: readonly Piece[]): void {
    const packed = this.#base?.count ?? 0;
    const made = applyPieces(this.#messages, pieces, this.#deltaFrom, packed);
    this.#messages.splice(0, this.#messages.length, ...made.messages);
    this.#base = undefined;
    this.#deltaFrom = made.firstOwn;
    this.#dropped = true;
    this.#compacted = true;
    this.#rewritten();
  }

  #rewritten(): void {
    this.#bytes = 0;
    this.#measured = 0;
    this.#epoch += 1;
    this.#handedOut = this.#base?.count ?? 0;
  }

  /** The messages that the turn added, where this run holds all of them. */
  delta(): Message[] | undefined {
    const packed = this.#base?.count ?? 0;
    if (packed > this.#deltaFrom || this.#compacted) return undefined;
    const messages = this.#messages.slice(this.#deltaFrom - packed);
    return messages.length < this.#added ? undefined : messages;
  }

  /** Names every message up to now, and sends none. The worker's cache has them all before the call is scheduled. */
  ref(): TranscriptRef {
    const headId = this.#headId;
    if (headId === undefined) return { spans: [], tail: [] };
    this.#handOut();
    const { workflowId, runId, firstExecutionRunId } = workflowInfo();
    const span = { workflowId, runId, epoch: this.#epoch, dropped: this.#dropped, to: this.count, headId };
    const isLater = runId !== firstExecutionRunId;
    return { spans: [{ ...span, ...(isLater && { firstRunId: firstExecutionRunId }) }], tail: [] };
  }

  /** Once a model call: each call of a sink costs the workflow's thread a third of a millisecond. */
  #handOut(): void {
    const fresh = this.#messages.slice(this.#handedOut - (this.#base?.count ?? 0));
    if (fresh.length > 0) cacheMessages(this.#epoch, this.#handedOut, fresh);
    this.#handedOut += fresh.length;
  }

  /** For the next run; where `segments` are given they hold all the messages. */
  carried(segments: TranscriptBase['segments'] | undefined): CarriedTranscript {
    const common = {
      epoch: this.#epoch,
      dropped: this.#dropped,
      ...(this.#compacted && { compacted: true as const }),
      deltaFrom: this.#deltaFrom,
      added: this.#added,
    };
    const headId = this.#headId;
    const { lastRole } = this;
    if (!segments || headId === undefined || !lastRole) return { ...common, messages: this.#messages };
    return { ...common, base: { segments, count: this.count, headId, lastRole } };
  }

  /** From `from` on, as many messages as `maxBytes` of JSON hold, but at least one where there is one. */
  page(request: Partial<MessagesPageRequest> | undefined): MessagesPage {
    const from = Math.max(0, numberOr(request?.from, 0));
    const to = Math.max(from, Math.min(this.count, numberOr(request?.to, this.count)));
    const room = Math.min(numberOr(request?.maxBytes, PAGE_BYTES), PAGE_BYTES);
    const page = { v: 1 as const, from, total: this.count, deltaFrom: this.#deltaFrom };
    const packed = this.#base?.count ?? 0;
    if (this.#base && from < packed) return { ...page, messages: [], base: this.#base };
    const messages: Message[] = [];
    let bytes = 0;
    for (const message of this.#messages.slice(from - packed, to - packed)) {
      bytes += jsonBytes(message);
      if (messages.length > 0 && bytes > room) break;
      messages.push(message);
    }
    return { ...page, messages };
  }
}

/** With these before all that is packed. */
function withFirst(base: TranscriptBase, first: Message[]): TranscriptBase {
  if (first.length === 0) return base;
  const segment = { count: first.length, bytes: jsonBytes(first), plain: first };
  return { ...base, segments: [segment, ...base.segments], count: base.count + first.length };
}

/** A query's argument may be anything that somebody typed. */
function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
