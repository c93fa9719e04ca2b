import { stripVTControlCharacters } from 'node:util';

/** Where a command writes, and whether a person looks at it. */
export type Terminal = {
  write(text: string): void;
  /** Colours only where they are seen. */
  style: Style;
  /** In columns; undefined where nobody looks. */
  width: number | undefined;
};

export type Style = {
  dim(text: string): string;
  bold(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
};

export function terminalOf(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv = process.env): Terminal {
  const coloured = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint = (code: number) => (text: string) => (coloured ? `\u001b[${code}m${text}\u001b[0m` : text);
  return {
    write: (text) => {
      stream.write(text);
    },
    width: stream.isTTY ? stream.columns || 80 : undefined,
    style: { dim: paint(2), bold: paint(1), red: paint(31), green: paint(32), yellow: paint(33) },
  };
}

/** What a model or a tool wrote must not move the cursor, retitle the window or hide text. */
export function safeText(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, '');
}
