import { z } from 'zod';
import { defineTool, type Tool } from '../define/define-tool.js';
import { BinaryFileError, LineReader, type RawLine } from './line-reader.js';
import { openRegularFile } from './open-file.js';
import { counted, startOf } from './wording.js';
import { pathSubject } from './workspace.js';

const DEFAULT_LINES = 2_000;
const MAX_OUTPUT_BYTES = 100_000;
const MAX_LINE_CHARACTERS = 2_000;
const MAX_LINE_BYTES = 4 * MAX_LINE_CHARACTERS;
/** How much of the rest is read only to say how many lines are left. */
const MAX_COUNTED_BYTES = 64 * 1024 * 1024;
const CARRIAGE_RETURN = '␍';

const input = z.object({
  path: z.string().describe('Relative to the workspace root'),
  offset: z.number().int().min(1).optional().describe('First line to read, from 1'),
  limit: z.number().int().min(1).optional().describe(`How many lines, ${DEFAULT_LINES} by default`),
});

type Line = { number: number; text: string; ending: RawLine['ending'] };
type Page = { lines: Line[]; linesTotal: number | undefined; bytesLeft: number };

/** The tool that reads text files below `root`, a page at a time; big files are never held whole. */
export function readFileTool(root: string): Tool<typeof input, string> {
  return defineTool({
    name: 'read_file',
    description: `Reads a text file in the workspace: lines with their numbers, at most ${DEFAULT_LINES} lines or ${MAX_OUTPUT_BYTES} bytes a call. The closing note tells the offset to go on with.`,
    input,
    idempotent: true,
    timeout: '5 minutes',
    effects: 'none',
    subject: pathSubject(root),
    run: async ({ path, offset = 1, limit = DEFAULT_LINES }, context) => {
      const file = await openRegularFile(root, path);
      try {
        const reader = new LineReader(file.handle, context.signal);
        return pageText(path, await readPage(reader, file.size, offset, limit), offset);
      } catch (error) {
        if (!(error instanceof BinaryFileError)) throw error;
        throw new Error(
          `${JSON.stringify(path)} is a binary file of ${counted(file.size, 'byte')}: ${error.message}.`,
        );
      } finally {
        await file.handle.close();
      }
    },
  });
}

async function readPage(reader: LineReader, size: number, offset: number, limit: number): Promise<Page> {
  await reader.skipLines(offset - 1, Number.POSITIVE_INFINITY);
  const lines: Line[] = [];
  let room = MAX_OUTPUT_BYTES;
  while (lines.length < limit && room > 0) {
    const raw = await reader.nextLine(MAX_LINE_BYTES);
    if (raw === undefined) break;
    const line = decodedLine(raw);
    lines.push(line);
    room -= Buffer.byteLength(line.text) + 8;
  }
  const bytesLeft = Math.max(0, size - reader.bytes);
  await reader.skipLines(Number.POSITIVE_INFINITY, MAX_COUNTED_BYTES);
  return { lines, linesTotal: (await reader.atEnd()) ? reader.lines : undefined, bytesLeft };
}

function decodedLine({ number, start, bytes, ending }: RawLine): Line {
  if (start.includes(0)) throw new BinaryFileError(`line ${number} contains NUL bytes`);
  const whole = start.length === bytes;
  let text: string;
  try {
    // Streamed when cut, which leaves out the character that the cut went through.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: number > 1 }).decode(start, { stream: !whole });
  } catch {
    throw new BinaryFileError(`line ${number} is not valid UTF-8`);
  }
  const shown = startOf(text, MAX_LINE_CHARACTERS);
  if (whole && shown.length === text.length) return { number, text, ending };
  const left = bytes - Buffer.byteLength(shown);
  return { number, text: `${shown}… [line cut: ${counted(left, 'more byte')}]`, ending };
}

function pageText(path: string, { lines, linesTotal, bytesLeft }: Page, offset: number): string {
  const first = lines[0];
  const last = lines.at(-1);
  if (first === undefined || last === undefined) {
    if (linesTotal === 0) return `[${path} is empty]`;
    throw new Error(
      `Offset ${offset} is past the end of ${JSON.stringify(path)}, which has ${counted(linesTotal ?? 0, 'line')}.`,
    );
  }
  const crlf = lines.some(({ ending }) => ending === 'crlf');
  const mixed = crlf && lines.some(({ ending }) => ending === 'lf');
  const notes: string[] = [];
  if (crlf && !mixed) notes.push('[line endings: CRLF]');
  if (mixed) notes.push(`[mixed line endings: those marked ${CARRIAGE_RETURN} are CRLF]`);
  if (linesTotal === undefined) {
    notes.push(`[${counted(bytesLeft, 'more byte')}; go on with offset=${last.number + 1}]`);
  } else if (linesTotal > last.number) {
    notes.push(
      `[lines ${first.number} to ${last.number} of ${linesTotal}, ${counted(bytesLeft, 'more byte')}; go on with offset=${last.number + 1}]`,
    );
  }
  const body = lines
    .map(
      ({ number, text, ending }) =>
        `${String(number).padStart(6)}\t${text}${mixed && ending === 'crlf' ? CARRIAGE_RETURN : ''}`,
    )
    .join('\n');
  return notes.length === 0 ? body : `${body}\n\n${notes.join('\n')}`;
}
