import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/client';
import { Keyring } from '../codec/keyring.js';
import { isSealed, openBytes, sealBytes } from '../codec/seal.js';
import type { ArtifactRef, ArtifactSource } from '../shared/artifacts.js';
import type { ArtifactStore, ByteRange } from './artifact-store.js';

/** Up to this size a part is read by reading all of it, so that its hash can be checked. */
const CHECKED_BYTES = 8_000_000;
/** How much of a stored artifact shows whether it is encrypted. */
const HEAD: ByteRange = { from: 0, to: 16 };

/** Keeps and finds bytes by their content. What comes back whole is checked against its hash. */
export class Artifacts {
  readonly #store: ArtifactStore;
  readonly #keyring: Keyring;

  /** With keys the store sees encrypted bytes, under the hash of what they are. */
  constructor(store: ArtifactStore, keyring: Keyring = new Keyring([])) {
    this.#store = store;
    this.#keyring = keyring;
  }

  async save(content: Uint8Array | ArtifactSource): Promise<ArtifactRef> {
    const ref = content instanceof Uint8Array ? refOf(content) : await refOfSource(content);
    // Encrypted as a whole, so that it must be held as a whole.
    const stored = this.#keyring.current ? sealBytes(this.#keyring, await wholeOf(content)) : content;
    await this.#store.put(ref.sha256, stored);
    return ref;
  }

  /** Throws a retryable `Artifact.NotFound`: another worker may have the store that holds it. */
  async load(ref: ArtifactRef): Promise<Uint8Array> {
    const stored = await this.#store.get(ref.sha256);
    if (!stored) throw notFound(ref, 'is not there');
    // Whatever it begins with, it is plain if its hash says so.
    if (refOf(stored).sha256 === ref.sha256) return stored;
    const found = openBytes(this.#keyring, stored);
    if (refOf(found).sha256 !== ref.sha256) throw notFound(ref, 'is damaged');
    return found;
  }

  /** A part of it; throws as {@link load} does. Of a very big artifact that is not encrypted only the length is checked. */
  async loadPart(ref: ArtifactRef, { from, to }: ByteRange): Promise<Uint8Array> {
    const range = { from, to: Math.min(to, ref.bytes) };
    if (range.to <= range.from) return new Uint8Array();
    const head = ref.bytes > CHECKED_BYTES ? await this.#store.get(ref.sha256, HEAD) : undefined;
    if (!head || isSealed(head)) return (await this.load(ref)).subarray(range.from, range.to);
    const found = await this.#store.get(ref.sha256, range);
    if (!found) throw notFound(ref, 'is not there');
    if (found.byteLength !== range.to - range.from) throw notFound(ref, 'is damaged');
    return found;
  }
}

async function pieces(source: ArtifactSource): Promise<Uint8Array[]> {
  const read: Uint8Array[] = [];
  for await (const piece of source.read()) read.push(piece);
  return read;
}

async function wholeOf(content: Uint8Array | ArtifactSource): Promise<Uint8Array> {
  return content instanceof Uint8Array ? content : Buffer.concat(await pieces(content));
}

function refOf(bytes: Uint8Array): ArtifactRef {
  return { sha256: createHash('sha256').update(bytes).digest('hex'), bytes: bytes.byteLength };
}

async function refOfSource(source: ArtifactSource): Promise<ArtifactRef> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of source.read()) {
    hash.update(piece);
    bytes += piece.byteLength;
  }
  return { sha256: hash.digest('hex'), bytes };
}

function notFound({ sha256, bytes }: ArtifactRef, what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'Artifact.NotFound',
    message: `The artifact ${sha256} (${bytes} bytes) ${what} in this worker's artifact store. Artifacts are kept for a time only, and workers on different machines need a store that they share.`,
  });
}
