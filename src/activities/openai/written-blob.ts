import { arrayBuffer, text } from 'node:stream/consumers';

/** Pieces below this are joined, as each is written to the socket by itself. */
const PIECE_BYTES = 64 * 1024;

/**
 * A body for fetch that stays in pieces. Bytes in one piece fetch would copy three times, with nothing left of them for
 * a redirect, and a Blob of Node's own copies what it is given. As a Blob it has a length, which fetch tells the server
 * (many gateways take no body of unknown length), and it can be sent again.
 */
export class WrittenBlob extends Blob {
  readonly #pieces: readonly Buffer[];
  override readonly size: number;

  constructor(pieces: readonly Buffer[]) {
    super([]);
    this.#pieces = joinedSmall(pieces);
    this.size = pieces.reduce((sum, { length }) => sum + length, 0);
  }

  override stream(): ReadableStream {
    return ReadableStream.from(this.#pieces);
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    return await arrayBuffer(this.stream());
  }

  override async text(): Promise<string> {
    return await text(this.stream());
  }
}

function joinedSmall(pieces: readonly Buffer[]): Buffer[] {
  const joined: Buffer[] = [];
  let small: Buffer[] = [];
  let bytes = 0;

  function pushSmall(): void {
    if (small.length > 0) joined.push(Buffer.concat(small, bytes));
    small = [];
    bytes = 0;
  }

  for (const piece of pieces) {
    if (piece.length >= PIECE_BYTES) {
      pushSmall();
      joined.push(piece);
      continue;
    }
    small.push(piece);
    bytes += piece.length;
    if (bytes >= PIECE_BYTES) pushSmall();
  }
  pushSmall();
  return joined;
}
