import { workflowInfo } from '@temporalio/workflow';
import type { TranscriptRef } from '../shared/activities.js';
import { jsonBytes } from '../shared/json.js';
import type { Message } from '../shared/messages.js';
import type { MessagesPage, MessagesPageRequest } from '../shared/turn.js';
import { cacheMessages } from './sinks.js';

const PAGE_BYTES = 900_000;

/**
 * The one truth about a turn's messages. Each message is also handed to the worker's cache, by a sink that leaves
 * nothing in the history, so that a model call's input only has to name where the messages are.
 */
export class Transcript {
  /** No rewrite of a transcript happens inside a turn yet, so that this is the only epoch. */
  readonly epoch = 0;
  readonly #messages: Message[] = [];

  get messages(): readonly Message[] {
    return this.#messages;
  }

  add(...added: Message[]): void {
    const from = this.#messages.length;
    this.#messages.push(...added);
    cacheMessages(this.epoch, from, added);
  }

  /** Names every message up to now, and sends none. */
  ref(): TranscriptRef {
    const head = this.#messages.at(-1);
    if (!head) return { spans: [], tail: [] };
    const { workflowId, runId } = workflowInfo();
    const span = { workflowId, runId, epoch: this.epoch, to: this.#messages.length, headId: head.id };
    return { spans: [span], tail: [] };
  }

  /** From `from` on, as many messages as `maxBytes` of JSON hold, but at least one where there is one. */
  page(request: Partial<MessagesPageRequest> | undefined, deltaFrom: number): MessagesPage {
    const from = Math.max(0, numberOr(request?.from, 0));
    const to = Math.max(from, Math.min(this.#messages.length, numberOr(request?.to, this.#messages.length)));
    const room = Math.min(numberOr(request?.maxBytes, PAGE_BYTES), PAGE_BYTES);
    const messages: Message[] = [];
    let bytes = 0;
    for (const message of this.#messages.slice(from, to)) {
      bytes += jsonBytes(message);
      if (messages.length > 0 && bytes > room) break;
      messages.push(message);
    }
    return { v: 1, from, messages, total: this.#messages.length, deltaFrom };
  }
}

/** A query's argument may be anything that somebody typed. */
function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
