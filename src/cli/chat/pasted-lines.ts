import { Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Stands for a line's end in the one line that is edited; what is sent has the line's end. */
export const LINE_END = '⏎';

/** A terminal brackets what is pasted with these once it was asked to. */
const BEGIN = '\u001b[200~';
const END = '\u001b[201~';
export const ASK_FOR_BRACKETS = '\u001b[?2004h';
export const NO_MORE_BRACKETS = '\u001b[?2004l';

/** Shorter, it may be a key of its own: Escape. */
const LEAST_OF_MARK = 3;

/** What a person types, with pasted lines joined by {@link LINE_END}: so that a paste is one message, to be looked over. */
export class PastedLines extends Transform {
  readonly #decoder = new StringDecoder('utf8');
  #isPasted = false;
  /** The beginning of a mark, whose rest is to come. */
  #kept = '';

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    let text = this.#kept + this.#decoder.write(chunk);
    this.#kept = '';
    while (text !== '') {
      const mark = this.#isPasted ? END : BEGIN;
      const at = text.indexOf(mark);
      if (at < 0) {
        this.#kept = beginningOf(mark, text);
        this.#pass(text.slice(0, text.length - this.#kept.length));
        break;
      }
      this.#pass(text.slice(0, at));
      this.#isPasted = !this.#isPasted;
      text = text.slice(at + mark.length);
    }
    done();
  }

  #pass(text: string): void {
    if (text === '') return;
    this.push(this.#isPasted ? text.replace(/\r\n|\r|\n/g, LINE_END).replaceAll('\t', '  ') : text);
  }
}

/** The end of a text with which a mark may begin. */
function beginningOf(mark: string, text: string): string {
  for (let length = mark.length - 1; length >= LEAST_OF_MARK; length--)
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
  return '';
}

export function withLineEnds(line: string): string {
  return line.replaceAll(LINE_END, '\n');
}

export function inOneLine(text: string): string {
  return text.replaceAll('\n', LINE_END);
}
