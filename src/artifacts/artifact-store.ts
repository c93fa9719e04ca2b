/**
 * Where artifacts are kept: a folder, a bucket, anything that holds bytes under a key. Keys are hex digits and mean
 * the content, so that a key is only ever written with the same bytes.
 */
export type ArtifactStore = {
  /** Keeps the bytes; under a key that is there already it only counts as stored now. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Undefined where nothing is kept under the key. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Forgets what was last stored before then; returns how many artifacts that were. */
  deleteOlderThan(time: Date): Promise<number>;
};
