import { stripVTControlCharacters } from 'node:util';
import { counted, endOf, startOf } from './wording.js';

const LAST_LINE_CHARACTERS = 200;

/**
 * Text that arrives as bytes, of which the head and the tail are kept: at most `limit` characters, and never more than
 * about that in memory. Bytes that are no UTF-8 become U+FFFD; a character may be split over two pieces.
 */
export class CappedOutput {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private readonly limit: number;
  private readonly half: number;
  private head = '';
  private tail = '';
  private total = 0;

  constructor(limit: number) {
    this.limit = limit;
    this.half = Math.ceil(limit / 2);
  }

  add(bytes: Uint8Array): void {
    this.addText(this.decoder.decode(bytes, { stream: true }));
  }

  /** All of it, or its head and tail and how many characters were left out between them, and `rest`. Ends the output. */
  end(rest = ''): string {
    this.addText(this.decoder.decode());
    if (!this.isCut) return this.head + this.tail;
    const head = startOf(this.head, this.half);
    const tail = endOf(this.tail, this.limit - this.half);
    const left = this.total - head.length - tail.length;
    return `${head}\n[... ${counted(left, 'character')} left out${rest} ...]\n${tail}`;
  }

  /** Whether there is more than is kept. */
  get isCut(): boolean {
    return this.total > this.limit;
  }

  /** How many bytes of UTF-8 its head takes. */
  get headBytes(): number {
    return Buffer.byteLength(startOf(this.head, this.half));
  }

  /** What a person who watches wants to see: the last line with something on it, in one short line; or ''. */
  lastLine(): string {
    const recent = (this.tail === '' ? this.head : this.tail).slice(-4 * LAST_LINE_CHARACTERS);
    const lines = stripVTControlCharacters(recent).split(/[\r\n]+/);
    const last = lines.findLast((line) => line.trim() !== '')?.trim() ?? '';
    return startOf(last, LAST_LINE_CHARACTERS).toWellFormed();
  }

  private addText(text: string): void {
    this.total += text.length;
    const room = this.half - this.head.length;
    if (room > 0) this.head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    this.tail = (this.tail + rest).slice(-(this.limit - this.half));
  }
}
