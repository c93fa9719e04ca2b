import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { ArtifactRef } from '../shared/artifacts.js';
import type { ArtifactStore } from './artifact-store.js';

/** Keeps and finds bytes by their content. What comes back is checked against its hash. */
export class Artifacts {
  readonly #store: ArtifactStore;

  constructor(store: ArtifactStore) {
    this.#store = store;
  }

  async save(bytes: Uint8Array): Promise<ArtifactRef> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await this.#store.put(sha256, bytes);
    return { sha256, bytes: bytes.byteLength };
  }

  /** Throws a retryable `Artifact.NotFound`: another worker may have the store that holds it. */
  async load({ sha256, bytes }: ArtifactRef): Promise<Uint8Array> {
    const found = await this.#store.get(sha256);
    if (found && createHash('sha256').update(found).digest('hex') === sha256) return found;
    const what = found ? 'is damaged' : 'is not there';
    throw ApplicationFailure.create({
      type: 'Artifact.NotFound',
      message: `The artifact ${sha256} (${bytes} bytes) ${what} in this worker's artifact store. Workers on different machines need a store that they share.`,
    });
  }
}
