import type { Message } from '../shared/messages.js';

type Entry = { epoch: number; messages: Message[]; bytes: number };

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;

/**
 * Transcripts by turn (the id of its first run), in the order of their last use, bounded in bytes. A copy only: the workflow holds the truth,
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

  /** Messages `from` onwards of a turn. What does not follow on what is held is dropped: it will be asked for. */
  add(turn: string, epoch: number, from: number, messages: readonly Message[]): void {
    const held = this.#entries.get(turn);
    const entry = held?.epoch === epoch ? held : { epoch, messages: [], bytes: 0 };
    if (entry.messages.length < from) return;
    if (held && held !== entry) this.#bytes -= held.bytes;
    const added = messages.slice(entry.messages.length - from);
    const bytes = added.reduce((sum, message) => sum + roughBytes(message), 0);
    entry.messages.push(...added);
    entry.bytes += bytes;
    this.#bytes += bytes;
    this.#entries.delete(turn);
    this.#entries.set(turn, entry);
    this.#evict();
  }

  /** The first messages of a turn as far as they are held: all `to`, fewer, or none. */
  get(turn: string, epoch: number, to: number): readonly Message[] {
    const entry = this.#entries.get(turn);
    if (entry?.epoch !== epoch) return [];
    this.#entries.delete(turn);
    this.#entries.set(turn, entry);
    return entry.messages.slice(0, to);
  }

  drop(turn: string): void {
    this.#bytes -= this.#entries.get(turn)?.bytes ?? 0;
    this.#entries.delete(turn);
  }

  #evict(): void {
    for (const turn of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes && this.#entries.size <= this.#maxTranscripts) return;
      this.drop(turn);
    }
  }
}

/** Of a JavaScript string in memory: two bytes a character at most. */
function roughBytes(message: Message): number {
  return 2 * JSON.stringify(message).length;
}
