import type { ArtifactSource } from '../shared/artifacts.js';

/** Bytes `from` (counted from 0) up to, not including, `to`. */
export type ByteRange = { from: number; to: number };

/**
 * Where artifacts are kept: a folder, a bucket, anything that holds bytes under a key. A key is the SHA-256 of the
 * content in hex, so that it is only ever written with the same bytes, by several workers at once, too.
 */
export type ArtifactStore = {
  /** Keeps the content, whole or not at all; what is there already counts as stored now. */
  put(key: string, content: Uint8Array | ArtifactSource): Promise<void>;
  /** Undefined where nothing is kept under the key. Of a range only as much as there is. */
  get(key: string, range?: ByteRange): Promise<Uint8Array | undefined>;
  /** Forgets what was last stored before then, and drafts that nobody finishes; returns how many artifacts that were. */
  deleteOlderThan(time: Date): Promise<number>;
};
