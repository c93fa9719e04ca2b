import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { ArtifactRef, ArtifactSource } from '../shared/artifacts.js';
import type { ArtifactStore, ByteRange } from './artifact-store.js';

/** Up to this size a part is read by reading all of it, so that its hash can be checked. */
const CHECKED_BYTES = 8_000_000;

/** Keeps and finds bytes by their content. What comes back whole is checked against its hash. */
export class Artifacts {
  readonly #store: ArtifactStore;

  constructor(store: ArtifactStore) {
    this.#store = store;
  }

  async save(content: Uint8Array | ArtifactSource): Promise<ArtifactRef> {
    const ref = content instanceof Uint8Array ? refOf(content) : await refOfSource(content);
    await this.#store.put(ref.sha256, content);
    return ref;
  }

  /** Throws a retryable `Artifact.NotFound`: another worker may have the store that holds it. */
  async load(ref: ArtifactRef): Promise<Uint8Array> {
    const found = await this.#store.get(ref.sha256);
    if (!found) throw notFound(ref, 'is not there');
    if (refOf(found).sha256 !== ref.sha256) throw notFound(ref, 'is damaged');
    return found;
  }

  /** A part of it; throws as {@link load} does. Of a very big artifact only the length is checked. */
  async loadPart(ref: ArtifactRef, { from, to }: ByteRange): Promise<Uint8Array> {
    const range = { from, to: Math.min(to, ref.bytes) };
    if (range.to <= range.from) return new Uint8Array();
    if (ref.bytes <= CHECKED_BYTES) return (await this.load(ref)).subarray(range.from, range.to);
    const found = await this.#store.get(ref.sha256, range);
    if (!found) throw notFound(ref, 'is not there');
    if (found.byteLength !== range.to - range.from) throw notFound(ref, 'is damaged');
    return found;
  }
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
