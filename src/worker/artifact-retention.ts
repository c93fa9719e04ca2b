import type { ArtifactStore } from '../artifacts/artifact-store.js';
import { errorText } from '../shared/wire-text.js';

/** After a worker's start, when its first turns are under way. */
const FIRST_MS = 1000;
const EVERY_MS = 6 * 3_600_000;

export type RetentionOptions = {
  retentionMs: number;
  firstMs?: number;
  everyMs?: number;
  /** Asked before each round. */
  isOver(): boolean;
  warn(text: string): void;
};

/**
 * Forgets old artifacts soon after a worker's start and every six hours, until it has ended. Keeps no process alive and
 * never throws. Several workers on one store do it side by side, and do no harm.
 */
export function forgetOldArtifacts(store: ArtifactStore, options: RetentionOptions): void {
  const { retentionMs, firstMs = FIRST_MS, everyMs = EVERY_MS, isOver, warn } = options;
  const wait = (ms: number) => void setTimeout(() => void round(), ms).unref();
  async function round(): Promise<void> {
    if (isOver()) return;
    try {
      await store.deleteOlderThan(new Date(Date.now() - retentionMs));
    } catch (error) {
      warn(`Old artifacts could not be deleted: ${errorText(error)}`);
    }
    wait(everyMs);
  }
  wait(firstMs);
}
