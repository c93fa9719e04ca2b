import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstOf } from '../../src/activities/session-segments.js';
import { appended, unpackAll } from '../../src/activities/transcript-segments.js';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.js';
import { Artifacts } from '../../src/artifacts/artifacts.js';
import type { TranscriptBase } from '../../src/shared/carried.js';
import type { Message } from '../../src/shared/messages.js';
import { user } from '../shared/transcripts.js';

function memoryStore(): { store: ArtifactStore; kept: Map<string, Uint8Array> } {
  const kept = new Map<string, Uint8Array>();
  const store: ArtifactStore = {
    async put(key, content) {
      if (content instanceof Uint8Array) kept.set(key, content);
    },
    get: async (key) => kept.get(key),
    deleteOlderThan: async () => 0,
  };
  return { store, kept };
}

/** Can't be packed to less than half. */
const long = (bytes: number): Message => user(randomBytes(bytes / 2).toString('hex'));

test('messages that are added piece by piece are read as they were, from few segments, inline or not', async () => {
  const turns = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(turns, fc.constantFrom(0, 2000, 1_000_000), async (counts, inlineBytes) => {
      const artifacts = new Artifacts(memoryStore().store);
      const all: Message[] = [];
      let base: TranscriptBase | undefined;
      for (const count of counts) {
        const messages = Array.from({ length: count }, (_, index) => user(`${all.length + index}`));
        all.push(...messages);
        base = await appended(base, messages, inlineBytes, artifacts);
      }
      expect(await unpackAll(base?.segments ?? [], artifacts)).toEqual(all);
      expect(base?.count ?? 0).toBe(all.length);
      expect(base?.headId).toBe(all.at(-1)?.id);
      expect(base?.segments.length ?? 0).toBeLessThan(8);
    }),
    { numRuns: 20 },
  );
});

test('what is cut has the first messages, in order, wherever the cut is in segments of any size', async () => {
  const artifacts = new Artifacts(memoryStore().store);
  const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(), async (counts, at) => {
      const all: Message[] = [];
      let base: TranscriptBase | undefined;
      for (const [turn, count] of counts.entries()) {
        // Each is too small to be merged with the one before.
        const bytes = 4000 / 4 ** turn;
        const messages = Array.from({ length: count }, () => long(Math.max(8, bytes)));
        all.push(...messages);
        base = await appended(base, messages, 1_000_000, artifacts);
      }
      const count = at % (all.length + 1);
      const cut = base && (await firstOf(base, all, count, 1_000_000, artifacts));
      expect(await unpackAll(cut?.segments ?? [], artifacts)).toEqual(all.slice(0, count));
      expect(cut?.count ?? 0).toBe(count);
    }),
    { numRuns: 30 },
  );
});

test('what the store has lost does not keep new messages from being kept', async () => {
  const { store, kept } = memoryStore();
  const artifacts = new Artifacts(store);
  const first = await appended(undefined, [long(4000)], 1000, artifacts);
  kept.clear();
  const second = await appended(first, [long(4000)], 1000, artifacts);
  const third = await appended(second, [user('short')], 1000, artifacts);
  expect(third?.count).toBe(3);
  const [lost, ...rest] = third?.segments ?? [];
  expect(lost).toEqual(first?.segments[0]);
  expect(await unpackAll(rest, artifacts)).toHaveLength(2);
  await expect(unpackAll(third?.segments ?? [], artifacts)).rejects.toThrow(/artifact store/);
});
