import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.js';
import { forgetOldArtifacts } from '../../src/worker/artifact-retention.js';

function storeThat(deletes: (time: Date) => Promise<number>): ArtifactStore {
  return { put: async () => {}, get: async () => undefined, deleteOlderThan: deletes };
}

test('old artifacts are forgotten at the start and again and again, whatever a round comes to', async () => {
  const asked: number[] = [];
  const warnings: string[] = [];
  const store = storeThat(async (time) => {
    asked.push(Date.now() - time.getTime());
    throw new Error('the disk is away');
  });
  let over = false;
  const options = { retentionMs: 86_400_000, firstMs: 1, everyMs: 1 };
  forgetOldArtifacts(store, { ...options, isOver: () => over, warn: (text) => warnings.push(text) });
  await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(3));
  over = true;
  expect(warnings[0]).toBe('Old artifacts could not be deleted: the disk is away');
  expect(Math.abs((asked[0] ?? 0) - 86_400_000)).toBeLessThan(1000);
  await sleep(5);
  const rounds = asked.length;
  await sleep(20);
  expect(asked).toHaveLength(rounds);
});
