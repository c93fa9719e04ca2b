import {
  closeSync,
  createReadStream,
  mkdtempSync,
  openSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactSource } from '../shared/artifacts.js';

export type WholeOutputOptions = {
  /** Up to here it stays in memory. */
  memoryBytes: number;
  /** What comes after that is counted only. */
  maxBytes: number;
};

/**
 * Bytes that arrive piece by piece and are kept whole: in memory while they are few, then in a file without a name,
 * which goes with this process. `close` it in the end.
 */
export class WholeOutput {
  readonly #options: WholeOutputOptions;
  #pieces: Uint8Array[] = [];
  #descriptor: number | undefined;
  #kept = 0;
  #total = 0;
  /** Why no more is kept. */
  #problem: string | undefined;

  constructor(options: WholeOutputOptions) {
    this.#options = options;
  }

  /** Never throws: that a disk is full must not end what writes. Waits for the disk, so that nothing piles up. */
  add(bytes: Uint8Array): void {
    this.#total += bytes.byteLength;
    if (this.#problem !== undefined) return;
    const room = this.#options.maxBytes - this.#kept;
    if (bytes.byteLength > room) this.#problem = `only the first ${this.#options.maxBytes} bytes were kept`;
    try {
      this.#keep(bytes.subarray(0, room));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#problem = `only the first ${this.#kept} bytes were kept (${why})`;
    }
  }

  /** Why it is not whole, or undefined. */
  get problem(): string | undefined {
    return this.#problem;
  }

  get source(): ArtifactSource {
    const [descriptor, pieces, end] = [this.#descriptor, this.#pieces, this.#kept - 1];
    return {
      bytes: this.#kept,
      read: () =>
        descriptor === undefined || end < 0
          ? inTurn(pieces)
          : createReadStream('', { fd: descriptor, autoClose: false, start: 0, end }),
    };
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#pieces = [];
  }

  #keep(bytes: Uint8Array): void {
    if (this.#descriptor === undefined && this.#kept + bytes.byteLength <= this.#options.memoryBytes) {
      this.#pieces.push(bytes);
      this.#kept += bytes.byteLength;
      return;
    }
    if (this.#descriptor === undefined) {
      this.#descriptor = openNamelessFile();
      const pieces = this.#pieces;
      this.#pieces = [];
      this.#kept = 0;
      for (const piece of pieces) this.#write(this.#descriptor, piece);
    }
    this.#write(this.#descriptor, bytes);
  }

  #write(descriptor: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength; ) {
      const written = writeSync(descriptor, bytes, at, bytes.byteLength - at, this.#kept);
      at += written;
      this.#kept += written;
    }
  }
}

function openNamelessFile(): number {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'));
  try {
    const path = join(folder, 'output');
    const descriptor = openSync(path, 'wx+', 0o600);
    unlinkSync(path);
    return descriptor;
  } finally {
    rmdirSync(folder);
  }
}

async function* inTurn(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
