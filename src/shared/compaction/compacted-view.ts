import type { Message } from '../messages.js';
import { applyPieces, type Piece } from './pieces.js';

/** What a compaction has made of a transcript: of so many messages, the last of which has that id. */
export type Compacted = { pieces: Piece[]; count: number; headId: string };

/** A turn's transcript as its compactions have left it, beside the whole one that its history tells. */
export class CompactedView {
  #messages: readonly Message[] | undefined;
  /** The last message of the whole one that is in it, or that it stands for. */
  #headId = '';

  /** With what has come since; undefined where nothing was compacted, or where that can't be told. */
  of(whole: readonly Message[]): readonly Message[] | undefined {
    if (!this.#messages) return undefined;
    const head = whole.findLastIndex(({ id }) => id === this.#headId);
    return head < 0 ? undefined : [...this.#messages, ...whole.slice(head + 1)];
  }

  /** What was made of another transcript than this one is left out: rounds were dropped, or packed messages are lost. */
  apply(whole: readonly Message[], { pieces, count, headId }: Compacted): void {
    const before = this.of(whole) ?? whole;
    if (before.length !== count || before.at(-1)?.id !== headId) return;
    this.#messages = applyPieces(before, pieces, 0).messages;
    this.#headId = whole.at(-1)?.id ?? '';
  }
}
