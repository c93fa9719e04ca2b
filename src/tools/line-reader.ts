import type { FileHandle } from 'node:fs/promises';

const CHUNK_BYTES = 65_536;
/** Where a NUL byte makes a file binary, as for git; further on it may be a scar in a log. */
const JUDGED_BYTES = 8_000;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** One line without its ending: its first bytes, how many it has in the file, and how it ends (`none`: by the file's end). */
export type RawLine = { number: number; start: Buffer; bytes: number; ending: 'lf' | 'crlf' | 'none' };

export class BinaryFileError extends Error {
  override readonly name = 'BinaryFileError';
}

/**
 * Reads a file by lines from its start, holding one chunk of it at a time, however big the file or a line is. A "\n"
 * at the very end begins no further line. Any method throws the signal's reason after an abort, and
 * {@link BinaryFileError} when the file's first bytes hold a NUL. The handle is closed by its owner.
 */
export class LineReader {
  /** The lines passed so far. */
  lines = 0;
  /** The bytes passed so far. */
  bytes = 0;
  private readonly handle: FileHandle;
  private readonly signal: AbortSignal;
  private readonly memory = Buffer.allocUnsafe(CHUNK_BYTES);
  private chunk = this.memory.subarray(0, 0);
  private position = 0;

  constructor(handle: FileHandle, signal: AbortSignal) {
    this.handle = handle;
    this.signal = signal;
  }

  /** The next line, of which the first `maxBytes` are kept; undefined at the end. */
  async nextLine(maxBytes: number): Promise<RawLine | undefined> {
    const kept: Buffer[] = [];
    let room = maxBytes;
    let bytes = 0;
    let ended = false;
    let last: number | undefined;
    while (!ended && (await this.fill())) {
      const piece = this.takePiece();
      ended = piece.ended;
      bytes += piece.data.length;
      last = piece.data.at(-1) ?? last;
      // Copied: the chunk's memory is used again.
      if (room > 0 && piece.data.length > 0) kept.push(Buffer.from(piece.data.subarray(0, room)));
      room = Math.max(0, room - piece.data.length);
    }
    if (!ended && bytes === 0) return undefined;
    if (!ended) this.lines++;
    const start = Buffer.concat(kept);
    if (!ended) return { number: this.lines, start, bytes, ending: 'none' };
    if (last !== RETURN) return { number: this.lines, start, bytes, ending: 'lf' };
    return { number: this.lines, start: start.subarray(0, bytes - 1), bytes: bytes - 1, ending: 'crlf' };
  }

  /** Passes up to `count` lines; stops early after about `maxBytes`, perhaps within a line. */
  async skipLines(count: number, maxBytes: number): Promise<void> {
    const lastLine = this.lines + count;
    const lastByte = this.bytes + maxBytes;
    let withinLine = false;
    while (this.lines < lastLine && this.bytes < lastByte) {
      if (!(await this.fill())) {
        if (withinLine) this.lines++;
        return;
      }
      withinLine = !this.takePiece().ended;
    }
  }

  async atEnd(): Promise<boolean> {
    return !(await this.fill());
  }

  /** What is left of the line in this chunk; `ended` when its "\n" was in it. */
  private takePiece(): { data: Buffer; ended: boolean } {
    const end = this.chunk.indexOf(NEWLINE, this.position);
    const ended = end !== -1;
    const data = this.chunk.subarray(this.position, ended ? end : this.chunk.length);
    const taken = data.length + (ended ? 1 : 0);
    this.position += taken;
    this.bytes += taken;
    if (ended) this.lines++;
    return { data, ended };
  }

  private async fill(): Promise<boolean> {
    if (this.position < this.chunk.length) return true;
    this.signal.throwIfAborted();
    const { bytesRead } = await this.handle.read(this.memory, 0, CHUNK_BYTES, null);
    this.chunk = this.memory.subarray(0, bytesRead);
    this.position = 0;
    const atStart = this.bytes === 0;
    if (atStart && this.chunk.subarray(0, JUDGED_BYTES).includes(0))
      throw new BinaryFileError('it contains NUL bytes');
    return bytesRead > 0;
  }
}
