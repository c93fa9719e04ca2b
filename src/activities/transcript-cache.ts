import type { Message } from '../shared/messages.js';

type Entry = { epoch: number; messages: Message[]; bytes: number };

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/**
 * Transcripts by run, in the order of their last use, bounded in bytes. A copy only: the workflow holds the truth,
 * and every read is checked against a message id.
 */
export class TranscriptCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxBytes: number;
  readonly #maxTranscripts: number;
  #bytes = 0;

  constructor(options: { maxBytes?: number; maxTranscripts?: number } = {}) {
    this.#maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#maxTranscripts = options.maxTranscripts ?? Number.POSITIVE_INFINITY;
  }

  /** Messages `from` onwards of a run. What does not follow on what is held is dropped: it will be asked for. */
  add(runId: string, epoch: number, from: number, messages: readonly Message[]): void {
    const held = this.#entries.get(runId);
    const entry = held?.epoch === epoch ? held : { epoch, messages: [], bytes: 0 };
    if (entry.messages.length < from) return;
    if (held && held !== entry) this.#bytes -= held.bytes;
    const added = messages.slice(entry.messages.length - from);
    const bytes = added.reduce((sum, message) => sum + roughBytes(message), 0);
    entry.messages.push(...added);
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#entries.delete(runId);
    this.#entries.set(runId, entry);
    this.#evict();
  }

  /** The first messages of a run as far as they are held: all `to`, fewer, or none. */
  get(runId: string, epoch: number, to: number): readonly Message[] {
    const entry = this.#entries.get(runId);
    if (entry?.epoch !== epoch) return [];
    this.#entries.delete(runId);
    this.#entries.set(runId, entry);
    return entry.messages.slice(0, to);
  }

  drop(runId: string): void {
    this.#bytes -= this.#entries.get(runId)?.bytes ?? 0;
    this.#entries.delete(runId);
  }

  #evict(): void {
    for (const runId of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes && this.#entries.size <= this.#maxTranscripts) return;
      this.drop(runId);
    }
  }
}

/** Of a JavaScript string in memory: two bytes a character at most. */
function roughBytes(message: Message): number {
  return 2 * JSON.stringify(message).length;
}
