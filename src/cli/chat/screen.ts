import { createInterface, type Interface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../table.js';
import { type Terminal, terminalOf } from '../terminal.js';
import { ASK_FOR_BRACKETS, inOneLine, NO_MORE_BRACKETS, PastedLines, withLineEnds } from './pasted-lines.js';

export type ScreenListener = {
  line(text: string): void;
  /** Ctrl-C. `typed`: what was in the line, which is cleared where this returns true. */
  interrupt(typed: string): boolean;
  /** Any other key. */
  key(): void;
  /** Ctrl-D, or the end of what is piped in. */
  end(): void;
};

/** Where a chat is shown, and where its lines come from. */
export type Screen = {
  readonly terminal: Terminal;
  /** Whether a person sits there. */
  readonly isTerminal: boolean;
  listen(listener: ScreenListener, history: readonly string[]): void;
  /** What stands before the line that is typed. */
  prompt(text: string): void;
  question(prompt: string, options: { signal: AbortSignal }): Promise<string>;
  /** Puts a text into the line that is typed, in place of what is there. */
  edit(text: string): void;
  /** Puts a text at the end of it. */
  append(text: string): void;
  close(): void;
};

export function screenOf(isPlain: boolean): Screen {
  const { stdin, stdout } = process;
  return !isPlain && stdin.isTTY && stdout.isTTY ? new TerminalScreen(stdin, stdout) : new PlainScreen();
}

/** Lines from a pipe, output as it comes. */
class PlainScreen implements Screen {
  readonly terminal = terminalOf(process.stdout);
  readonly isTerminal = false;
  #lines: Interface | undefined;

  listen(listener: ScreenListener): void {
    this.#lines = createInterface({ input: process.stdin });
    this.#lines.on('line', (line) => listener.line(line)).on('close', () => listener.end());
  }

  prompt(): void {
    // Nobody looks.
  }

  async question(): Promise<string> {
    throw new Error('Nobody is there to be asked.');
  }

  edit(): void {
    // Nobody edits.
  }

  append(): void {
    // Nobody edits.
  }

  close(): void {
    this.#lines?.removeAllListeners('close').close();
    process.stdin.unref?.();
  }
}

type Question = { prompt: string; typed: string; answer(line: string): void };

/** What is typed stays in the last rows, under what the turn prints, a piece of a line at a time. */
class TerminalScreen implements Screen {
  readonly isTerminal = true;
  readonly terminal: Terminal;
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  #lines: Interface | undefined;
  #prompt = '> ';
  #question: Question | undefined;
  /** Where the last row that was printed ends: 0 where it is whole. */
  #column = 0;

  constructor(input: NodeJS.ReadStream, output: NodeJS.WriteStream) {
    this.#input = input;
    this.#output = output;
    const { width: _width, write: _write, ...terminal } = terminalOf(output);
    this.terminal = {
      ...terminal,
      write: (text) => this.#write(text),
      get width() {
        return output.columns || 80;
      },
    };
  }

  listen(listener: ScreenListener, history: readonly string[]): void {
    const input = this.#input.pipe(new PastedLines());
    const lines = createInterface({
      ...{ input, output: this.#output, terminal: true, historySize: 200 },
      ...{ history: history.map(inOneLine), removeHistoryDuplicates: true },
    });
    this.#lines = lines;
    this.#input.setRawMode(true);
    this.#output.write(ASK_FOR_BRACKETS);
    this.#output.on('resize', this.#resized);
    lines.on('line', (line) => this.#entered(line, listener));
    input.on('keypress', (_text, key) => {
      if (!(key.ctrl && key.name === 'c')) listener.key();
    });
    lines.on('SIGINT', () => {
      if (listener.interrupt(lines.line)) this.#replaceLine('');
    });
    // It would leave the terminal as it is.
    lines.on('SIGTSTP', () => undefined);
    lines.on('close', () => listener.end());
    this.#show();
  }

  readonly #resized = () => {
    this.#column = 0;
  };

  #entered(line: string, listener: ScreenListener): void {
    this.#column = 0;
    // As in a shell: the message goes on in another line.
    if (line.endsWith('\\')) this.edit(`${line.slice(0, -1)}\n`);
    else {
      const text = withLineEnds(line);
      const question = this.#question;
      if (question && !isCommand(text)) question.answer(text);
      else listener.line(text);
      this.#show();
    }
  }

  prompt(text: string): void {
    this.#prompt = text;
    this.#show();
  }

  async question(prompt: string, { signal }: { signal: AbortSignal }): Promise<string> {
    const typed = this.#question ? '' : (this.#lines?.line ?? '');
    signal.throwIfAborted();
    try {
      return await new Promise<string>((answer, reject) => {
        this.#question = { prompt, typed, answer };
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        this.#replaceLine('');
      });
    } finally {
      this.#question = undefined;
      this.#replaceLine(typed);
    }
  }

  edit(text: string): void {
    this.#replaceLine(inOneLine(text));
  }

  append(text: string): void {
    this.#replaceLine(`${this.#lines?.line ?? ''}${inOneLine(text)}`);
  }

  close(): void {
    this.#output.off('resize', this.#resized);
    this.#lines?.removeAllListeners('close').close();
    this.#lines = undefined;
    this.#output.write(`\r\u001b[J${NO_MORE_BRACKETS}`);
    this.#input.unpipe();
    this.#input.setRawMode(false);
    this.#input.pause();
  }

  #replaceLine(text: string): void {
    const lines = this.#lines;
    if (!lines) return;
    lines.write(null, { ctrl: true, name: 'e' });
    lines.write(null, { ctrl: true, name: 'u' });
    if (text !== '') lines.write(text);
    this.#show();
  }

  #show(): void {
    this.#lines?.setPrompt(this.#question?.prompt ?? this.#prompt);
    this.#lines?.prompt(true);
  }

  #write(text: string): void {
    const lines = this.#lines;
    const shown = text.replaceAll('\t', '  ');
    if (shown === '') return;
    if (!lines) {
      this.#output.write(shown);
      return;
    }
    const { rows } = lines.getCursorPos();
    const erased = `${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`;
    const back = this.#column > 0 ? `\u001b[A\u001b[${this.#column}C` : '';
    const columns = this.#output.columns || 80;
    const end = columnAfter(shown, this.#column, columns);
    this.#column = end < columns ? end : 0;
    this.#output.write(`${erased}${back}${shown}${end > 0 ? '\n' : ''}`);
    // readline would go up by the rows that were erased just now.
    (lines as { prevRows?: number }).prevRows = 0;
    this.#show();
  }
}

/** `/title A new one`; but `/etc/hosts` is no command. */
export function isCommand(line: string): boolean {
  return /^\/[a-z]+(?:\s|$)/.test(line);
}

const graphemes = new Intl.Segmenter();

/** The column after a text that begins in this one; `columns` where it fills its row. */
export function columnAfter(text: string, before: number, columns: number): number {
  const lines = stripVTControlCharacters(text).split('\n');
  let column = lines.length > 1 ? 0 : before;
  for (const { segment } of graphemes.segment(lines.at(-1) ?? '')) {
    const width = widthOf(segment);
    column = column + width > columns ? width : column + width;
  }
  return column;
}
