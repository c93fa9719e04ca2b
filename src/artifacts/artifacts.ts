import { createHash } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { Keyring } from '../codec/keyring.js';
import { openBytes, sealBytes } from '../codec/seal.js';
import type { ArtifactRef } from '../shared/artifacts.js';
import type { ArtifactStore } from './artifact-store.js';

/** Keeps and finds bytes by their content. What comes back is checked against its hash. */
export class Artifacts {
  readonly #store: ArtifactStore;
  readonly #keyring: Keyring;

  /** With keys the store sees encrypted bytes, under the hash of what they are. */
  constructor(store: ArtifactStore, keyring: Keyring = new Keyring([])) {
    this.#store = store;
    this.#keyring = keyring;
  }

  async save(bytes: Uint8Array): Promise<ArtifactRef> {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await this.#store.put(sha256, sealBytes(this.#keyring, bytes));
    return { sha256, bytes: bytes.byteLength };
  }

  /** Throws a retryable `Artifact.NotFound`: another worker may have the store that holds it. */
  async load({ sha256, bytes }: ArtifactRef): Promise<Uint8Array> {
    const stored = await this.#store.get(sha256);
    const found = stored && openBytes(this.#keyring, stored);
    if (found && createHash('sha256').update(found).digest('hex') === sha256) return found;
    const what = found ? 'is damaged' : 'is not there';
    throw ApplicationFailure.create({
      type: 'Artifact.NotFound',
      message: `The artifact ${sha256} (${bytes} bytes) ${what} in this worker's artifact store. Workers on different machines need a store that they share.`,
    });
  }
}
